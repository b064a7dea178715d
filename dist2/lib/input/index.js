export { JsonFault, parseJsonObject } from "./json.js";
