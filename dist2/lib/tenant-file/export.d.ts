import { type Kind } from "../records/kinds.ts";
import { type Stamps } from "../records/model.ts";
import type { Storage } from "../storage.ts";
/**
 * A tenant as a tenant file: loaded into another storage it is the same tenant, times included. Idempotency records
 * stay behind, and API keys go by their hashes, so clients keep theirs. Archived records are in it, and values whose
 * option or field has gone: `exported` says that they stand there as they were stored.
 * @returns undefined where there is no such tenant
 */
export declare function exportTenantFile(storage: Storage, tenantId: string): Promise<Record<string, unknown> | undefined>;
/** The record as the API shows it, hidden fields included: a file that is loaded again needs them. */
export declare function entry(kind: Kind, record: Stamps): Record<string, unknown>;
