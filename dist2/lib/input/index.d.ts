export { JsonFault, parseJsonObject } from "./json.ts";
