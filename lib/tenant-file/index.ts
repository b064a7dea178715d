export { exportTenantFile } from "./export.ts";
export { tenantFileSchema } from "./format.ts";
export {
  type CheckedTenant,
  checkTenantFile,
  type LoadedTenant,
  loadTenantFile,
  parseTenantFile,
  TenantFileError,
} from "./load.ts";
export { streamTenantFile } from "./stream.ts";
