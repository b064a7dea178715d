import type { Storage } from "../storage.ts";
/**
 * A tenant as `exportTenantFile` gives it, in pieces, a line for each record, without the whole of it ever being in memory. The storage must not
 * change meanwhile: hand it a snapshot.
 * @returns undefined where there is no such tenant
 */
export declare function streamTenantFile(storage: Storage, tenantId: string): Promise<AsyncGenerator<string> | undefined>;
