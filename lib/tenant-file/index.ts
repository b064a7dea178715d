export { exportTenantFile } from "./export.ts";
export { tenantFileSchema } from "./format.ts";
export {
  checkTenantFile,
  type LoadedTenant,
  loadTenantFile,
  parseTenantFile,
  type TenantFileCheck,
  TenantFileError,
} from "./load.ts";
export { streamTenantFile } from "./stream.ts";
