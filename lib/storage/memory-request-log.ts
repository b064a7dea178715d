import { LRUCache } from "lru-cache";
import {
  addTotals,
  type CountedRequests,
  type CountQuery,
  hourMs,
  isCounted,
  type RequestEntry,
  type RequestLog,
  type RequestQuery,
  type RequestTotal,
  totalsOf,
} from "./request-log.ts";

const maxTenants = 100;
/** Entries of a tenant that are logged individually, and minutes of operations that are counted. */
const maxEntries = 1_000;

/** The requests of a tenant, oldest first. The counted ones are by minute, integration, operation and code. */
type TenantLog = { entries: RequestEntry[]; readonly counted: Map<string, CountedRequests> };

/** Returns a request log in memory: the last 1,000 entries of each of the last 100 tenants. */
export function memoryRequestLog(): RequestLog {
  const tenants = new LRUCache<string, TenantLog>({ max: maxTenants });
  return {
    append(entries) {
      const appended = new Set<TenantLog>();
      for (const entry of entries) {
        const log: TenantLog = tenants.get(entry.tenantId) ?? { entries: [], counted: new Map() };
        tenants.set(entry.tenantId, log);
        appended.add(log);
        if (isCounted(entry)) addCounted(log, entry);
        else log.entries.push(entry);
      }
      for (const log of appended) log.entries = log.entries.slice(-maxEntries);
    },
    find: async (tenantId, query) => findEntries(tenants.get(tenantId)?.entries ?? [], query),
    totals: async (tenantId, query) => sumUp(tenants.get(tenantId), query),
  };
}

function addCounted({ counted }: TenantLog, entry: CountedRequests): void {
  const key = JSON.stringify([entry.at, entry.integrationId, entry.operation, entry.code]);
  const before = counted.get(key);
  counted.set(key, before === undefined ? entry : addTotals(before, entry));
  const [oldest = ""] = counted.keys();
  if (counted.size > maxEntries) counted.delete(oldest);
}

function findEntries(entries: readonly RequestEntry[], query: RequestQuery): readonly RequestEntry[] {
  const { statuses = [0, 999], since = 0, until = Number.POSITIVE_INFINITY, after, limit } = query;
  const names = ["requestId", "integrationId", "keyId", "userId", "code", "operation"] as const;
  const found = entries.filter(
    (entry) =>
      names.every((name) => query[name] === undefined || entry[name] === query[name]) &&
      entry.status >= statuses[0] &&
      entry.status <= statuses[1] &&
      entry.at >= since &&
      entry.at < until &&
      (after === undefined || compare(after, entry) < 0),
  );
  return found.sort(compare).slice(0, limit);
}

/** Sorts the newest first. */
function compare(a: Pick<RequestEntry, "at" | "id">, b: Pick<RequestEntry, "at" | "id">): number {
  return b.at - a.at || (a.id > b.id ? -1 : Number(a.id < b.id));
}

function sumUp(log: TenantLog | undefined, { by, since, limit }: CountQuery): readonly RequestTotal[] {
  const all = [
    ...(log?.entries ?? []).map((entry) => ({ ...entry, ...totalsOf(entry) })),
    ...(log?.counted.values() ?? []),
  ];
  const totals = new Map<string | null, RequestTotal>();
  for (const each of all.filter(({ at }) => at >= since)) {
    const hour = String(each.at - (each.at % hourMs));
    const key = { operation: each.operation, integration: each.integrationId, code: each.code, hour }[by];
    const before = totals.get(key);
    const { count, clientErrors, serverErrors, durationMs, maxMs } = each;
    const total = { key, count, clientErrors, serverErrors, durationMs, maxMs };
    totals.set(key, before === undefined ? total : addTotals(before, total));
  }
  const order = by === "hour" ? lastFirst : mostFirst;
  return [...totals.values()].sort(order).slice(0, limit);
}

function mostFirst(a: RequestTotal, b: RequestTotal): number {
  return b.count - a.count;
}

function lastFirst(a: RequestTotal, b: RequestTotal): number {
  return Number(b.key) - Number(a.key);
}
