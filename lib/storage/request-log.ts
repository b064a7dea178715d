import type { ErrorCode, FieldError } from "../model/errors.ts";

/** The checks of a request, in their order. A failed request names the one that rejected it. */
export const requestSteps = [
  "route",
  "size",
  "authentication",
  "rate_limit",
  "scope",
  "json",
  "tenant",
  "shape",
  "idempotency",
  "existence",
  "references",
  "rules",
  "commit",
  "server",
] as const;

export type RequestStep = (typeof requestSteps)[number];

/** The way by which a request arrived: the HTTP API, the console, or an MCP tool. */
export const requestSources = ["http", "console", "mcp"] as const;

export type RequestSource = (typeof requestSources)[number];

/** Why a request failed. It has names of fields, but no value that the caller sent. */
export type RequestProblem = {
  readonly step: RequestStep;
  /** The field errors without their messages, which can repeat values. */
  readonly errors: readonly Pick<FieldError, "path" | "code" | "allowed" | "limits">[];
  /** The members of the body, and in place of each value its type, such as `string(12)`. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** `details.reason` of a conflict. */
  readonly reason?: string;
  /** `details.required` of a missing scope. */
  readonly required?: string;
  /** `details.existingId` of a duplicate. */
  readonly existingId?: string;
  /** The earlier request with the same Idempotency-Key. */
  readonly firstUse?: { readonly path: string; readonly usedAt: string };
};

/**
 * A request that is logged individually: a failure, a write, or a request of an admin. Times are in milliseconds since
 * 1970.
 */
export type RequestEntry = {
  readonly tenantId: string;
  /** Unique. Entries with the same `at` are in the order of their IDs. */
  readonly id: string;
  /** Not unique, because the client can choose it. */
  readonly requestId: string;
  readonly at: number;
  readonly method: string;
  /** The path with IDs, and the names of the query parameters: `/contacts/0195…?includeArchived`. */
  readonly path: string;
  readonly operation: string;
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly durationMs: number;
  readonly integrationId: string | null;
  readonly keyId: string | null;
  readonly userId: string | null;
  readonly replayed: boolean;
  readonly dryRun: boolean;
  readonly source: RequestSource;
  readonly traceId: string | null;
  /** The number of written records, and the IDs of the first 20. */
  readonly changes: { readonly count: number; readonly ids: readonly string[] };
  readonly problem: RequestProblem | null;
};

/** Requests of one minute that are only counted: successful reads, and repeated 429 and 503 responses. */
export type CountedRequests = {
  readonly tenantId: string;
  /** Start of the minute. */
  readonly at: number;
  readonly integrationId: string | null;
  readonly operation: string;
  readonly code: ErrorCode | null;
  readonly count: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  /** The sum of the durations. */
  readonly durationMs: number;
  readonly maxMs: number;
};

/** Selects entries, newest first. A filter that is null matches entries without the value. */
export type RequestQuery = {
  readonly requestId?: string | undefined;
  readonly integrationId?: string | null | undefined;
  readonly keyId?: string | null | undefined;
  readonly userId?: string | null | undefined;
  /** The lowest and the highest status. */
  readonly statuses?: readonly [min: number, max: number] | undefined;
  readonly code?: string | undefined;
  readonly operation?: string | undefined;
  /** Entries at or after this time, and before `until`. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** The last entry of the page before. */
  readonly after?: Pick<RequestEntry, "at" | "id"> | undefined;
  readonly limit: number;
};

/** The members by which requests can be counted. */
export const countKeys = ["operation", "integration", "code", "hour"] as const;

export const hourMs = 3_600_000;

export type CountQuery = {
  readonly by: (typeof countKeys)[number];
  readonly since: number;
  readonly limit: number;
};

/** Requests with the same operation, integration, error code or hour, logged individually or not. */
export type RequestTotal = Pick<CountedRequests, "count" | "clientErrors" | "serverErrors" | "durationMs" | "maxMs"> & {
  /** Null for requests without an integration or an error code. An hour is its start in milliseconds since 1970. */
  readonly key: string | null;
};

/**
 * Keeps the requests of each tenant for some time. It promises no completeness: it removes old entries, and entries
 * that it can't store are dropped.
 */
export interface RequestLog {
  /**
   * Stores entries. Those that are only counted are added to the same minute. May throw or reject; the entries are then
   * dropped.
   */
  append(entries: readonly (RequestEntry | CountedRequests)[]): void | Promise<void>;
  find(tenantId: string, query: RequestQuery): Promise<readonly RequestEntry[]>;
  /** Returns the totals with the most requests first. Hours are returned with the last one first. */
  totals(tenantId: string, query: CountQuery): Promise<readonly RequestTotal[]>;
}

/** The parts of a request log that handlers use. They see all requests that have ended. */
export type RequestLogReader = Pick<RequestLog, "find" | "totals">;

/** Whether an entry is only counted. */
export function isCounted(entry: RequestEntry | CountedRequests): entry is CountedRequests {
  return "count" in entry;
}

/** Whether an entry is logged individually. */
export function isEntry(entry: RequestEntry | CountedRequests): entry is RequestEntry {
  return !isCounted(entry);
}

/** Returns the totals of an entry that is logged individually. */
export function totalsOf({
  status,
  durationMs,
}: Pick<RequestEntry, "status" | "durationMs">): Omit<RequestTotal, "key"> {
  return {
    count: 1,
    clientErrors: Number(status >= 400 && status < 500),
    serverErrors: Number(status >= 500),
    durationMs,
    maxMs: durationMs,
  };
}

/** Returns the sum of two totals. */
export function addTotals<T extends Omit<RequestTotal, "key">>(a: T, b: Omit<RequestTotal, "key">): T {
  return {
    ...a,
    count: a.count + b.count,
    clientErrors: a.clientErrors + b.clientErrors,
    serverErrors: a.serverErrors + b.serverErrors,
    durationMs: a.durationMs + b.durationMs,
    maxMs: Math.max(a.maxMs, b.maxMs),
  };
}
