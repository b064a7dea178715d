export { toNodeListener } from "./node.ts";
export { type RunningServer, type ServerOptions, serve } from "./server.ts";
