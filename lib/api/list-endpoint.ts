import * as v from "valibot";
import { ApiError } from "../model/errors.ts";
import { RawJson } from "../model/json.ts";
import type { Kind } from "../model/kinds.ts";
import { dateTime, jsonSchema, queryBoolean, queryInteger } from "../model/scalars.ts";
import { formatDateTime } from "../model/time.ts";
import type { Position, Query } from "../storage/storage.ts";
import { decodeCursor, encodeCursor, maxCursorLength } from "./cursor.ts";
import type { Context, EndpointCall, HandlerResult } from "./endpoint.ts";
import { readPage } from "./read-page.ts";

type Entries = Readonly<Record<string, v.GenericSchema>>;
type Filters = Readonly<Record<string, string | number | boolean>>;

const limitMax = 200;
const limitDefault = 50;
/** How far apart the clocks of two servers of one database may be. */
const clockSkewMs = 60_000;

/** What every list takes. */
const standard = {
  limit: v.pipe(
    queryInteger(1, limitMax),
    jsonSchema({
      default: limitDefault,
      description: "Page size. Other values are rejected. A page ends early if its records would exceed 4 MiB.",
    }),
  ),
  cursor: v.pipe(
    v.string(),
    jsonSchema({ maxLength: maxCursorLength, description: "The nextCursor of the page before. It does not expire." }),
  ),
  updatedSince: v.pipe(
    dateTime,
    jsonSchema({
      description: "Only records updated at this instant or later (inclusive). In a url, the + of an offset is %2B.",
    }),
  ),
  includeArchived: v.pipe(
    queryBoolean,
    jsonSchema({
      default: false,
      description: "Whether archived records stand in the list too, each with its archivedAt.",
    }),
  ),
};

/** The query of a paginated list: its filters, and what every list takes. */
export function listQuery(filters: Entries): Entries {
  const all = { ...standard, ...filters };
  return Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, v.optional(schema)]));
}

/** Responds with one page, `{ data, nextCursor }`, in the order (updatedAt, id). */
export async function listPage(
  kind: Kind,
  endpoint: string,
  query: Entries,
  call: EndpointCall,
  context: Context,
): Promise<HandlerResult> {
  const { limit = limitDefault, cursor, ...sent } = call.query as Filters & { limit?: number; cursor?: string };
  const filterNames = Object.keys(query).filter((name) => name !== "limit" && name !== "cursor");
  const scope = { tenantId: call.caller.tenantId, endpoint, filterNames };
  const secret = await context.secret();
  const walk = cursor === undefined ? undefined : decodeCursor(secret, scope, cursor, textsOf(sent));
  const filters = walk === undefined ? sent : { ...parsed(query, walk.filters, sent), ...sent };
  const storageQuery = queryOf(filters, walk?.position);
  const { rows, hasMore } = await readPage(context.storage, call.caller.tenantId, kind, storageQuery, limit);
  const last = rows.at(-1);
  const position = last === undefined ? undefined : { updatedAt: last.updatedAt, id: last.id };
  const next =
    hasMore && position !== undefined
      ? encodeCursor(secret, scope, { position, filters: textsOf(filters) })
      : undefined;
  const nextCursor = next?.cursor ?? null;
  const reached =
    last?.updatedAt ??
    walk?.position.updatedAt ??
    (await nextWatermark(context, call.caller.tenantId, kind, storageQuery));
  let data = "";
  for (const { json } of rows) data += data === "" ? json : `,${json}`;
  return {
    status: 200,
    body: new RawJson(`{"data":[${data}],"nextCursor":${JSON.stringify(nextCursor)}}`),
    headers: {
      "X-Next-Updated-Since": formatDateTime(reached) ?? "",
      ...(next === undefined ? {} : { Link: `<?${linkQuery(next, textsOf(filters))}>; rel="next"` }),
    },
  };
}

/**
 * From where to go on after an empty page: where the caller stands already, if the tenant's clock has been there. If not,
 * what is committed from now on may be earlier than the caller's own clock says.
 */
async function nextWatermark({ storage, clock }: Context, tenant: string, kind: Kind, { updatedSince = 0 }: Query) {
  const past = Math.max(0, clock.now() - clockSkewMs);
  if (updatedSince <= past) return updatedSince;
  const reached = await storage.list(tenant, kind, { updatedSince: updatedSince - 1, includeArchived: true, limit: 1 });
  return reached.length > 0 ? updatedSince : past;
}

/** The cursor alone says how to go on, but for texts that it had no room for. */
function linkQuery(
  { cursor, omittedFilters }: ReturnType<typeof encodeCursor>,
  texts: Readonly<Record<string, string>>,
): string {
  return [`cursor=${cursor}`, ...omittedFilters.map((name) => `${name}=${encodeURIComponent(texts[name] ?? "")}`)].join(
    "&",
  );
}

function queryOf(filters: Filters, after: Position | undefined): Query {
  const { updatedSince, includeArchived, ...where } = filters;
  return {
    where: where as NonNullable<Query["where"]>,
    includeArchived: includeArchived === true,
    ...(after === undefined ? {} : { after }),
    ...(updatedSince === undefined ? {} : { updatedSince: updatedSince as number }),
  };
}

/** The filters as their parameters write them, each value in one way only. */
function textsOf(filters: Filters): Record<string, string> {
  const text = (value: string | number | boolean): string =>
    typeof value === "number" ? (formatDateTime(value) ?? "") : String(value);
  return Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, text(value)]));
}

/** The filters of a cursor that were not sent with it, each as the schema of its parameter gives it. */
function parsed(query: Entries, filters: Readonly<Record<string, string>>, sent: Filters): Filters {
  const values: Record<string, string | number | boolean> = {};
  for (const name in filters) {
    if (sent[name] !== undefined) continue;
    const result = v.safeParse(query[name] ?? v.never(), filters[name]);
    if (!result.success) throw new ApiError("invalid_cursor", "The cursor belongs to filters that no longer exist.");
    values[name] = result.output as string | number | boolean;
  }
  return values;
}
