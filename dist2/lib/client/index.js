export { createClient } from "./client.js";
export { CrmConnectionError, CrmError } from "./error.js";
