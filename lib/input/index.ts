export { JsonParseError, parseJsonObject } from "./parse-json.ts";
