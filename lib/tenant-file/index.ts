export { exportTenantFile } from "./export.ts";
export { tenantFileSchema } from "./format.ts";
export { type LoadedTenant, loadTenantFile, parseTenantFile, TenantFileRefused } from "./load.ts";
