export { toNodeListener } from "./node.js";
export { serve } from "./server.js";
