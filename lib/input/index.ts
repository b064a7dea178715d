export { JsonFault, parseJsonObject } from "./parse-json.ts";
