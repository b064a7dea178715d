export { type FetchHandler, type MountedRequest, type NodeOptions, toNodeListener } from "./node.ts";
export { type RunningServer, type ServerOptions, serve } from "./server.ts";
