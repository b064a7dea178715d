import { mergeCustomFieldValues } from "../api/rules/custom-field-values.ts";
import type { Clock } from "../auth/rate-limiter.ts";
import type { CustomFieldValues } from "../model/custom-field.ts";
import type { ValidationIssue } from "../model/errors.ts";
import type { AnyRecord } from "../model/kinds.ts";
import { JsonParseError, parseJsonObject } from "../model/parse-json.ts";
import { uuidV7 } from "../model/uuid.ts";
import { validate } from "../model/validate.ts";
import { type Storage, type Write, WriteConflict } from "../storage/storage.ts";
import { type TenantFileEntry, toEntries } from "./entries.ts";
import { tenantFileSchema } from "./format.ts";
import { customFieldsByEntity, validateEntries } from "./validate.ts";

/** A rejected tenant file. `issues` contains every error with its path. Nothing was loaded. */
export class TenantFileError extends Error {
  readonly issues: readonly ValidationIssue[];

  constructor(message: string, issues: readonly ValidationIssue[] = []) {
    super(message);
    this.name = "TenantFileError";
    this.issues = issues;
  }
}

/** The result of a load. `keys` are the API keys that the file contains in plain text. */
export type LoadedTenant = {
  /** `false` if the tenant already existed. In that case nothing changed. */
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

type Tools = { readonly clock: Pick<Clock, "now">; readonly newId: () => string };

/**
 * Validates a parsed tenant file and loads it in one commit. Records keep the times in the file, so that clients can
 * continue their sync. If the tenant exists, nothing changes. By default, the clock is the system clock and new IDs are
 * UUIDs of version 7.
 * @throws TenantFileError if the file is invalid or the database contains one of its API keys
 */
export async function loadTenantFile(
  storage: Storage,
  file: unknown,
  { clock = { now: Date.now }, newId = () => uuidV7(clock.now()) }: Partial<Tools> = {},
): Promise<LoadedTenant> {
  const tools = { clock, newId };
  const entries = validEntries(file, tools);
  const tenant = entries[0] as TenantFileEntry;
  // Before the tenant is read: another load can create both in the meantime.
  const usedKeys = await findUsedKeys(storage, entries);
  if ((await storage.get(tenant.id, "tenant", tenant.id)) !== undefined)
    return toLoadedTenant(storage, tenant, entries, false);
  if (usedKeys.length > 0) throw toError(usedKeys);
  const customFields = customFieldsByEntity(entries);
  try {
    await storage.commit(tenant.id, tools.clock.now(), (at) =>
      entries.map((entry) => toInsert(entry, customFields, at)),
    );
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
    if (error.kind === "tenant") return toLoadedTenant(storage, tenant, entries, false);
    throw toError(await findUsedKeys(storage, entries));
  }
  return toLoadedTenant(storage, tenant, entries, true);
}

/** The result of a check. */
export type TenantFileCheck = {
  /** Whether the tenant exists already. A load would change nothing. */
  readonly exists: boolean;
  readonly tenantId: string;
  readonly name: string;
  /** Number of records in the file, including the tenant. */
  readonly records: number;
};

/**
 * Validates a tenant file like `loadTenantFile`, and writes nothing. Without a storage, only the file is checked.
 * @throws TenantFileError if a load would fail
 */
export async function checkTenantFile(
  storage: Storage | undefined,
  file: unknown,
  tools: Tools,
): Promise<TenantFileCheck> {
  const entries = validEntries(file, tools);
  const { id: tenantId, values } = entries[0] as TenantFileEntry;
  const usedKeys = storage === undefined ? [] : await findUsedKeys(storage, entries);
  const exists = (await storage?.get(tenantId, "tenant", tenantId)) !== undefined;
  if (!exists && usedKeys.length > 0) throw toError(usedKeys);
  return { exists, tenantId, name: String(values.name), records: entries.length };
}

/** Returns the records of a valid file. @throws TenantFileError */
function validEntries(file: unknown, { clock, newId }: Tools): readonly TenantFileEntry[] {
  const result = validate(tenantFileSchema, file, "");
  if ("issues" in result) throw toError(result.issues);
  const entries = toEntries(result.value, newId);
  const issues = validateEntries(entries, clock.now());
  if (issues.length > 0) throw toError(issues);
  return entries;
}

/** The operator provides the file, so its size isn't limited. */
const noLimits = { maxMembers: Number.POSITIVE_INFINITY, maxTotalMembers: Number.POSITIVE_INFINITY };

/** Parses the bytes of a tenant file. @throws TenantFileError if they aren't a JSON object */
export function parseTenantFile(bytes: Uint8Array): unknown {
  try {
    return parseJsonObject(bytes, noLimits);
  } catch (error) {
    throw error instanceof JsonParseError ? new TenantFileError(`The file ${error.problem}`) : error;
  }
}

function toInsert(
  { kind, id, values, times, isExported }: TenantFileEntry,
  customFields: ReturnType<typeof customFieldsByEntity>,
  at: number,
): Write {
  const updatedAt = times.updatedAt ?? Math.max(at, times.createdAt ?? 0, times.archivedAt ?? 0);
  const baseTimes = { createdAt: times.createdAt ?? updatedAt, updatedAt, archivedAt: times.archivedAt ?? null };
  const customValues = values.customFields as CustomFieldValues | undefined;
  const merged = customValues &&
    !isExported && { customFields: mergeCustomFieldValues(customFields.get(kind) ?? [], customValues, {}).values };
  const record = { id, ...values, ...merged, ...defaultTimes(kind, values, baseTimes), ...baseTimes };
  return { op: "insert", kind, record: record as unknown as AnyRecord } as Write;
}

/** Returns the times that a kind has besides those of every record, with defaults if the file omits them. */
function defaultTimes(
  kind: string,
  values: TenantFileEntry["values"],
  { createdAt, updatedAt }: { createdAt: number; updatedAt: number },
) {
  const { status, closedAt, stageChangedAt, occurredAt } = values;
  const time = status === "pending" || status === "open" ? null : (closedAt ?? updatedAt);
  if (kind === "note") return { occurredAt: occurredAt ?? createdAt };
  if (kind === "task") return { closedAt: time };
  return kind === "opportunity" ? { closedAt: time, stageChangedAt: stageChangedAt ?? createdAt } : {};
}

/** Reports the API keys that the database already contains. */
async function findUsedKeys(storage: Storage, entries: readonly TenantFileEntry[]): Promise<ValidationIssue[]> {
  const keys = entries.filter(({ kind }) => kind === "apiKey");
  const found = await Promise.all(keys.map(({ values }) => storage.findApiKey(String(values.hash))));
  const message = "The database already contains this API key.";
  return keys.flatMap(({ path }, index): ValidationIssue[] => {
    return found[index] === undefined
      ? []
      : [{ kind: "rule", problem: { path: `${path}/key`, code: "not_an_option", message } }];
  });
}

/** Reads from the storage whether each key is revoked, because an existing tenant isn't changed by the load. */
async function toLoadedTenant(
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
    const stored = await storage.findApiKey(String(values.hash));
    const revoked = stored === undefined || stored.revokedAt !== null;
    keys.push({ tenant: tenant.id, integration: name, key, scopes, revoked });
  }
  return { created, tenantId: tenant.id, name: String(tenant.values.name), keys };
}

function toError(issues: readonly ValidationIssue[]): TenantFileError {
  const lines = issues.slice(0, 20).map(({ problem }) => `  ${problem.path || "/"}: ${problem.message}`);
  const rest = issues.length > lines.length ? [`  and ${issues.length - lines.length} more`] : [];
  const count = issues.length === 1 ? "1 error" : `${issues.length} errors`;
  return new TenantFileError(
    [`The tenant file has ${count}. Nothing was loaded.`, ...lines, ...rest].join("\n"),
    issues,
  );
}
