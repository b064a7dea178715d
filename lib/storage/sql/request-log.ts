import {
  type CountedRequests,
  type CountQuery,
  hourMs,
  type RequestEntry,
  type RequestQuery,
  type RequestTotal,
} from "../request-log.ts";

/** A statement with its values. `sql` has a placeholder for each value. */
type Statement = { readonly sql: string; readonly values: readonly unknown[] };

/** The parts of SQL in which the databases differ. */
export type RequestLogDialect = {
  /** Returns the placeholder of a value, counted from 1. */
  readonly placeholder: (index: number) => string;
  /** Compares a column with a value, which can be null. */
  readonly isSame: string;
};

/** Limits of a request log in a database. */
export type RequestLogLimits = {
  /** Age at which an entry is removed, in milliseconds. */
  readonly maxAgeMs: number;
  /** The default is 200,000. */
  readonly maxTenantEntries?: number | undefined;
  /** The default is 2,000,000. */
  readonly maxEntries?: number | undefined;
};

export const defaultMaxTenantEntries = 200_000;
export const defaultMaxEntries = 2_000_000;

/** The columns that are filtered or counted. The other members of an entry are in the column `entry`, as JSON. */
const columns = {
  tenant_id: "tenantId",
  at: "at",
  id: "id",
  request_id: "requestId",
  integration_id: "integrationId",
  key_id: "keyId",
  user_id: "userId",
  operation: "operation",
  status: "status",
  code: "code",
  duration_ms: "durationMs",
} as const satisfies Readonly<Record<string, keyof RequestEntry>>;

export const entryColumns: readonly string[] = [...Object.keys(columns), "entry"];

/** Returns the values of the columns of an entry. */
export function entryValues(entry: RequestEntry): readonly (string | number | null)[] {
  const { tenantId, at, id, requestId, integrationId, keyId, userId, operation, status, code, durationMs, ...rest } =
    entry;
  const values = [tenantId, at, id, requestId, integrationId, keyId, userId, operation, status, code, durationMs];
  return [...values, JSON.stringify(rest)];
}

/** Returns the entry of a row. */
export function toEntry({ entry, ...row }: Readonly<Record<string, unknown>>): RequestEntry {
  const values = Object.entries(columns).map(([column, name]) => [name, row[column]]);
  return { ...Object.fromEntries(values), ...JSON.parse(String(entry)) } as RequestEntry;
}

/** The key of the counted requests of a minute, and their totals. */
export const countColumns: readonly string[] = [
  ...["tenant_id", "at", "integration_id", "operation", "code"],
  ...["count", "client_errors", "server_errors", "duration_ms", "max_ms"],
];

/** Returns the values of the columns of counted requests. The columns of the key are never null. */
export function countValues(counted: CountedRequests): readonly (string | number)[] {
  const { tenantId, at, integrationId, operation, code, count, clientErrors, serverErrors, durationMs, maxMs } =
    counted;
  return [
    tenantId,
    at,
    integrationId ?? "",
    operation,
    code ?? "",
    count,
    clientErrors,
    serverErrors,
    durationMs,
    maxMs,
  ];
}

/** Returns the statement that finds entries. */
export function findStatement(
  { placeholder, isSame }: RequestLogDialect,
  tables: { readonly entries: string },
  tenantId: string,
  query: RequestQuery,
): Statement {
  const values: unknown[] = [];
  const value = (each: unknown): string => placeholder(values.push(each));
  const conditions = [`tenant_id = ${value(tenantId)}`];
  if (query.requestId !== undefined) conditions.push(`request_id = ${value(query.requestId)}`);
  if (query.since !== undefined) conditions.push(`at >= ${value(query.since)}`);
  if (query.until !== undefined) conditions.push(`at < ${value(query.until)}`);
  if (query.after !== undefined) conditions.push(`(at, id) < (${value(query.after.at)}, ${value(query.after.id)})`);
  for (const name of ["integration_id", "key_id", "user_id", "code", "operation"] as const) {
    const wanted = query[columns[name]];
    if (wanted !== undefined) conditions.push(`${name} ${isSame} ${value(wanted)}`);
  }
  if (query.statuses !== undefined)
    conditions.push(`status BETWEEN ${value(query.statuses[0])} AND ${value(query.statuses[1])}`);
  const sql = `SELECT ${entryColumns.join(", ")} FROM ${tables.entries} WHERE ${conditions.join(" AND ")} ORDER BY at DESC, id DESC LIMIT ${value(query.limit)}`;
  return { sql, values };
}

/** The expressions by which requests are counted. */
const countKeyColumns: Readonly<Record<CountQuery["by"], string>> = {
  operation: "operation",
  integration: "integration_id",
  code: "code",
  hour: `CAST(at - at % ${hourMs} AS TEXT)`,
};

/** Returns the statement that counts requests. Its rows have the members of `RequestTotal`. */
export function totalsStatement(
  { placeholder }: RequestLogDialect,
  tables: { readonly entries: string; readonly counts: string },
  tenantId: string,
  { by, since, limit }: CountQuery,
): Statement {
  const column = countKeyColumns[by];
  const values: unknown[] = [];
  const value = (each: unknown): string => placeholder(values.push(each));
  const where = (): string => `tenant_id = ${value(tenantId)} AND at >= ${value(since)}`;
  const sql = `SELECT key, sum(count) AS count, sum(client_errors) AS "clientErrors", sum(server_errors) AS "serverErrors",
      sum(duration_ms) AS "durationMs", max(max_ms) AS "maxMs"
    FROM (
      SELECT ${column} AS key, 1 AS count, CASE WHEN status BETWEEN 400 AND 499 THEN 1 ELSE 0 END AS client_errors,
        CASE WHEN status >= 500 THEN 1 ELSE 0 END AS server_errors, duration_ms, duration_ms AS max_ms
      FROM ${tables.entries} WHERE ${where()}
      UNION ALL
      SELECT nullif(${column}, '') AS key, count, client_errors, server_errors, duration_ms, max_ms
      FROM ${tables.counts} WHERE ${where()}
    ) AS all_requests
    GROUP BY key ORDER BY ${by === "hour" ? "key DESC" : "2 DESC, key"} LIMIT ${value(limit)}`;
  return { sql, values };
}

/** Converts a row of `totalsStatement`. PostgreSQL returns sums as texts. */
export function toTotal(row: Readonly<Record<string, unknown>>): RequestTotal {
  const { key, ...numbers } = row;
  return {
    ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value)])),
    key: key ?? null,
  } as RequestTotal;
}

/** Whether a tenant has got so many entries since its last check that the oldest may have to be removed. */
export class TenantEntryCounts {
  readonly #every: number;
  readonly #counts = new Map<string, number>();

  /** @param every number of entries between two checks of a tenant */
  constructor(every: number) {
    this.#every = every;
  }

  /** Counts entries. Returns the tenants to check: those that got many entries, and those without a check so far. */
  add(entries: readonly RequestEntry[]): readonly string[] {
    const due = new Set<string>();
    for (const { tenantId } of entries) {
      const count = (this.#counts.get(tenantId) ?? this.#every) + 1;
      this.#counts.set(tenantId, count);
      if (count > this.#every) due.add(tenantId);
    }
    for (const tenantId of due) this.#counts.set(tenantId, 0);
    return [...due];
  }
}
