export { exportTenantFile } from "./export.js";
export { tenantFileSchema } from "./format.js";
export { checkTenantFile, loadTenantFile, parseTenantFile, TenantFileRefused, } from "./load.js";
export { streamTenantFile } from "./stream.js";
