import { mergeCustomFieldValues } from "../api/rules/custom-field-values.ts";
import type { Clock } from "../auth/rate-limiter.ts";
import type { CustomFieldValues } from "../model/custom-field.ts";
import type { ValidationIssue } from "../model/errors.ts";
import type { AnyRecord } from "../model/kinds.ts";
import { JsonParseError, parseJsonObject } from "../model/parse-json.ts";
import { validate } from "../model/validate.ts";
import { type Storage, type Write, WriteConflict } from "../storage/storage.ts";
import { parseEntries, type TenantFileEntry } from "./entries.ts";
import { tenantFileSchema } from "./format.ts";
import { customFieldsByEntity, validateEntries } from "./validate.ts";

/** A tenant file that was not loaded. Nothing of it was kept; `findings` names every fault with its path. */
export class TenantFileError extends Error {
  readonly findings: readonly ValidationIssue[];

  constructor(message: string, findings: readonly ValidationIssue[] = []) {
    super(message);
    this.name = "TenantFileError";
    this.findings = findings;
  }
}

/** What was loaded. The keys are those that the file gives in clear. */
export type LoadedTenant = {
  /** False where the tenant was there before and nothing was changed. */
  readonly created: boolean;
  readonly tenantId: string;
  readonly name: string;
  readonly keys: readonly {
    readonly tenant: string;
    readonly integration: string;
    readonly key: string;
    readonly scopes: readonly string[];
    readonly revoked: boolean;
  }[];
};

/**
 * Validates a parsed tenant file whole and loads it in one commit. Its records keep the times that the file gives,
 * so that a sync can go on where it was. A tenant that is in the storage already is left as it is.
 * @throws TenantFileError
 */
export async function loadTenantFile(
  storage: Storage,
  file: unknown,
  tools: { readonly clock: Pick<Clock, "now">; readonly newId: () => string },
): Promise<LoadedTenant> {
  const entries = entriesIn(file, tools);
  const tenant = entries[0] as TenantFileEntry;
  if ((await storage.get(tenant.id, "tenant", tenant.id)) !== undefined)
    return loadedOf(storage, tenant, entries, false);
  const inUse = await keysInUse(storage, entries);
  if (inUse.length > 0) throw refused(inUse);
  const catalogs = customFieldsByEntity(entries);
  try {
    await storage.commit(tenant.id, tools.clock.now(), (at) => entries.map((entry) => writeOf(entry, catalogs, at)));
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
    if (error.kind === "tenant") return loadedOf(storage, tenant, entries, false);
    throw refused([...(await keysInUse(storage, entries))]);
  }
  return loadedOf(storage, tenant, entries, true);
}

/** What a file would become in a storage. */
export type CheckedTenant = {
  /** Whether the storage has a tenant of this id already, which would be left as it is. */
  readonly isThere: boolean;
  readonly tenantId: string;
  readonly name: string;
  /** How many records the file has, the tenant among them. */
  readonly records: number;
};

/**
 * Does what `loadTenantFile` would do but for writing. Without a storage the file alone is looked at.
 * @throws TenantFileError with everything that is wrong
 */
export async function checkTenantFile(
  storage: Storage | undefined,
  file: unknown,
  tools: { readonly clock: Pick<Clock, "now">; readonly newId: () => string },
): Promise<CheckedTenant> {
  const entries = entriesIn(file, tools);
  const { id: tenantId, values } = entries[0] as TenantFileEntry;
  const isThere = (await storage?.get(tenantId, "tenant", tenantId)) !== undefined;
  const inUse = storage === undefined || isThere ? [] : await keysInUse(storage, entries);
  if (inUse.length > 0) throw refused(inUse);
  return { isThere, tenantId, name: String(values.name), records: entries.length };
}

/** The records of a file in which nothing is wrong. @throws TenantFileError */
function entriesIn(
  file: unknown,
  { clock, newId }: { readonly clock: Pick<Clock, "now">; readonly newId: () => string },
): readonly TenantFileEntry[] {
  const checked = validate(tenantFileSchema, file, "");
  if ("findings" in checked) throw refused(checked.findings);
  const entries = parseEntries(checked.value, newId);
  const faults = validateEntries(entries, clock.now());
  if (faults.length > 0) throw refused(faults);
  return entries;
}

/** A tenant file comes from the operator, and its lists are as long as the tenant is large. */
const noLimits = { maxMembers: Number.POSITIVE_INFINITY, maxTotalMembers: Number.POSITIVE_INFINITY };

/** The content of a tenant file's bytes. @throws TenantFileError where they are not JSON */
export function parseTenantFile(bytes: Uint8Array): unknown {
  try {
    return parseJsonObject(bytes, noLimits);
  } catch (error) {
    throw error instanceof JsonParseError ? new TenantFileError(error.message.replace("The body", "The file")) : error;
  }
}

function writeOf(
  { kind, id, values, times, isExported }: TenantFileEntry,
  catalogs: ReturnType<typeof customFieldsByEntity>,
  at: number,
): Write {
  const updatedAt = times.updatedAt ?? Math.max(at, times.createdAt ?? 0, times.archivedAt ?? 0);
  const stamps = { createdAt: times.createdAt ?? updatedAt, updatedAt, archivedAt: times.archivedAt ?? null };
  const sent = values.customFields as CustomFieldValues | undefined;
  const custom = sent &&
    !isExported && { customFields: mergeCustomFieldValues(catalogs.get(kind) ?? [], sent, {}).values };
  const record = { id, ...values, ...custom, ...closing(kind, values, stamps), ...stamps };
  return { op: "insert", kind, record: record as unknown as AnyRecord } as Write;
}

/** The times of a change of state that the file left out. */
function closing(
  kind: string,
  values: TenantFileEntry["values"],
  { createdAt, updatedAt }: { createdAt: number; updatedAt: number },
) {
  const { status, closedAt, stageChangedAt } = values;
  const closed = status === "pending" || status === "open" ? null : (closedAt ?? updatedAt);
  if (kind === "task") return { closedAt: closed };
  return kind === "opportunity" ? { closedAt: closed, stageChangedAt: stageChangedAt ?? createdAt } : {};
}

async function keysInUse(storage: Storage, entries: readonly TenantFileEntry[]): Promise<ValidationIssue[]> {
  const keys = entries.filter(({ kind }) => kind === "apiKey");
  const found = await Promise.all(keys.map(({ values }) => storage.findApiKey(String(values.hash))));
  const message = "This key is in use in the database already.";
  return keys.flatMap(({ path }, index): ValidationIssue[] => {
    return found[index] === undefined
      ? []
      : [{ kind: "rule", problem: { path: `${path}/key`, code: "not_an_option", message } }];
  });
}

/** Whether a key works is for the storage to say: it may have been revoked since the file was written. */
async function loadedOf(
  storage: Storage,
  tenant: TenantFileEntry,
  entries: readonly TenantFileEntry[],
  created: boolean,
): Promise<LoadedTenant> {
  const integrations = new Map(
    entries.filter(({ kind }) => kind === "integration").map((each) => [each.id, each.values]),
  );
  const keys: LoadedTenant["keys"][number][] = [];
  for (const { key, values } of entries) {
    const integration = integrations.get(String(values.integrationId));
    if (key === undefined || integration === undefined) continue;
    const { name, scopes } = integration as { name: string; scopes: string[] };
    const kept = await storage.findApiKey(String(values.hash));
    const revoked = kept === undefined || kept.revokedAt !== null;
    keys.push({ tenant: tenant.id, integration: name, key, scopes, revoked });
  }
  return { created, tenantId: tenant.id, name: String(tenant.values.name), keys };
}

function refused(findings: readonly ValidationIssue[]): TenantFileError {
  const lines = findings.slice(0, 20).map(({ problem }) => `  ${problem.path || "/"}: ${problem.message}`);
  const more = findings.length > lines.length ? [`  and ${findings.length - lines.length} more`] : [];
  const count = findings.length === 1 ? "1 fault" : `${findings.length} faults`;
  return new TenantFileError(
    [`The tenant file has ${count}; nothing was loaded:`, ...lines, ...more].join("\n"),
    findings,
  );
}
