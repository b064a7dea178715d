import * as v from "valibot";
import { formatDateTime, queryDateTime } from "../model/date-time.ts";
import { ApiError } from "../model/errors.ts";
import type { Kind } from "../model/kinds.ts";
import { RawJson } from "../model/record-json.ts";
import { jsonSchema, queryBoolean, queryInteger } from "../model/scalars.ts";
import type { Position, Query, Storage } from "../storage/storage.ts";
import { decodeCursor, encodeCursor, maxCursorLength } from "./cursor.ts";
import type { EndpointCall, HandlerContext, HandlerResult } from "./endpoint.ts";

type Filters = Readonly<Record<string, string | number | boolean | readonly string[]>>;

const maxLimit = 200;
const defaultLimit = 50;
/** Maximum difference between the clocks of two servers that share a database. */
const maxClockSkewMs = 60_000;

/** Query parameters that every list has. */
const standardParameters = {
  limit: v.pipe(
    queryInteger(1, maxLimit),
    jsonSchema({
      default: defaultLimit,
      description:
        "Page size, 1 to 200. Other values are rejected. With `cursor`, it defaults to the page size of the cursor. A page " +
        "ends early if its records exceed 4 MiB.",
    }),
  ),
  cursor: v.pipe(
    v.string(),
    jsonSchema({
      maxLength: maxCursorLength,
      description:
        "`nextCursor` of the previous page. Doesn't expire. Contains filters of up to 600 bytes; send longer ones again.",
    }),
  ),
  updatedSince: v.pipe(
    queryDateTime,
    jsonSchema({ description: "Only records updated at or after this time. In a URL, write `+` as `%2B`." }),
  ),
  includeArchived: includeArchivedParameter("Whether to include archived records."),
};

/** Returns the schema of `includeArchived`. */
export function includeArchivedParameter(description: string) {
  return v.pipe(queryBoolean, jsonSchema({ default: false, description }));
}

/** Returns the query schema of a list: the filters and the standard parameters, all optional. */
export function listQuery<Filters extends Readonly<Record<string, v.GenericSchema>>>(filters: Filters) {
  const entries = Object.entries({ ...standardParameters, ...filters });
  return Object.fromEntries(entries.map(([name, schema]) => [name, v.optional(schema)])) as {
    [Name in keyof (Filters & typeof standardParameters)]: v.OptionalSchema<
      (Filters & typeof standardParameters)[Name],
      undefined
    >;
  };
}

/** Returns one page, `{ data, nextCursor }`, in the order (updatedAt, id). */
export async function listPage(
  kind: Kind,
  endpoint: string,
  querySchema: Readonly<Record<string, v.GenericSchema>>,
  call: EndpointCall,
  context: HandlerContext,
): Promise<HandlerResult> {
  const { tenantId } = call.caller;
  const { limit: requestedLimit, cursor, ...requested } = call.query as Filters & { limit?: number; cursor?: string };
  const scope = { tenantId, endpoint };
  const secret = await context.secret();
  const previous = cursor === undefined ? undefined : decodeCursor(secret, scope, cursor, toTexts(requested));
  const filters = previous === undefined ? requested : { ...parseFilters(querySchema, previous.filters), ...requested };
  const limit = requestedLimit ?? previous?.limit ?? defaultLimit;
  const query = toStorageQuery(filters, previous?.position);
  const { records, hasMore, position } = await readPage(context.storage, tenantId, kind, query, limit);
  const texts = toTexts(filters);
  const next =
    hasMore && position !== undefined ? encodeCursor(secret, scope, { position, filters: texts, limit }) : undefined;
  const watermark =
    position?.updatedAt ?? previous?.position.updatedAt ?? (await nextWatermark(context, tenantId, kind, query));
  return {
    status: 200,
    body: new RawJson(`{"data":[${records.join(",")}],"nextCursor":${JSON.stringify(next?.cursor ?? null)}}`),
    headers: {
      "X-Next-Updated-Since": formatDateTime(watermark) ?? "",
      ...(next && { Link: `<?${nextPageQuery(next, texts)}>; rel="next"` }),
    },
  };
}

/**
 * Returns the watermark of an empty first page: the watermark of the client, unless it is ahead of the tenant clock.
 * Commits after this page could then be older than the watermark.
 */
async function nextWatermark(
  { storage, clock }: HandlerContext,
  tenantId: string,
  kind: Kind,
  { updatedSince = 0 }: Query,
) {
  const past = Math.max(0, clock.now() - maxClockSkewMs);
  if (updatedSince <= past) return updatedSince;
  const query = { updatedSince: updatedSince - 1, includeArchived: true, limit: 1 };
  return (await storage.list(tenantId, kind, query)).length > 0 ? updatedSince : past;
}

/** Returns the query string of the next page: the cursor, and the filters that it has only as hashes. */
function nextPageQuery({ cursor, omittedFilters }: ReturnType<typeof encodeCursor>, texts: Record<string, string>) {
  const filters = omittedFilters.map((name) => `&${name}=${encodeURIComponent(texts[name] ?? "")}`);
  return `cursor=${cursor}${filters.join("")}`;
}

function toStorageQuery({ updatedSince, includeArchived, ...where }: Filters, after: Position | undefined): Query {
  return {
    where,
    includeArchived: includeArchived === true,
    ...(after && { after }),
    ...(updatedSince !== undefined && { updatedSince: Number(updatedSince) }),
  };
}

/** Returns the filters as query parameters. Equal values have equal texts. */
function toTexts(filters: Filters): Record<string, string> {
  const entries = Object.entries(filters).map(([name, value]) => [
    name,
    typeof value === "number" ? (formatDateTime(value) ?? "") : String(value),
  ]);
  return Object.fromEntries(entries);
}

/** @throws ApiError `400 invalid_cursor` if a later version of the API has removed or changed a filter */
function parseFilters(schemas: Readonly<Record<string, v.GenericSchema>>, texts: Record<string, string>): Filters {
  const entries = Object.entries(texts).map(([name, text]) => {
    const result = v.safeParse(schemas[name] ?? v.never(), text);
    if (!result.success)
      throw new ApiError("invalid_cursor", `The cursor has an unknown filter ${name}. Restart without a cursor.`);
    return [name, result.output];
  });
  return Object.fromEntries(entries);
}

/** A page ends before the record that would take its JSON beyond this many bytes. */
export const maxPageBytes = 4 * 1024 * 1024;
/** The maximum number of records in one read, which bounds the memory of a page of long records. */
const maxRecordsPerRead = 101;

/** The records of a page as JSON, and the position of the last one. */
type Page = {
  readonly records: readonly string[];
  readonly hasMore: boolean;
  readonly position: Position | undefined;
};

/**
 * Reads a page of at most `limit` records and `maxPageBytes`, but of at least one record if there is one. A page of more
 * than 100 records takes several reads. If a record changes between two of them, the page has only its newer version.
 */
async function readPage(
  storage: Pick<Storage, "listJson">,
  tenantId: string,
  kind: Kind,
  query: Query,
  limit: number,
): Promise<Page> {
  // One more row shows whether another page follows. A last page that is exactly full then has no cursor.
  const rowLimit = limit + 1;
  let records: readonly string[] = [];
  const page = (end: number, hasMore: boolean): Page => {
    return { records: records.slice(0, end), hasMore, position: positionOf(records[end - 1]) };
  };
  for (let next = query; ; ) {
    const size = Math.min(rowLimit - records.length, maxRecordsPerRead);
    const batch = await storage.listJson(tenantId, kind, { ...next, limit: size, maxBytes: maxPageBytes });
    records = records.length === 0 ? batch : withoutOlderVersions([...records, ...batch]);
    const fitting = countRecordsThatFit(records);
    if (fitting < records.length) return page(fitting, true);
    if (records.length === rowLimit) return page(limit, true);
    const after = positionOf(batch.at(-1));
    if (batch.length < size || after === undefined) return page(records.length, false);
    next = { ...query, after };
  }
}

/** The number of records from the front that fit on a page. The first one always does. */
function countRecordsThatFit(records: readonly string[]): number {
  let units = 0;
  for (const json of records) units += json.length + 1;
  // A UTF-16 unit takes at most three bytes. Most pages are so short that nothing needs to be counted.
  if (units * 3 <= maxPageBytes) return records.length;
  let bytes = 0;
  for (const [index, json] of records.entries()) {
    bytes += Buffer.byteLength(json) + 1;
    if (bytes > maxPageBytes && index > 0) return index;
  }
  return records.length;
}

function withoutOlderVersions(records: readonly string[]): readonly string[] {
  const newest = new Map(records.map((json) => [idOf(json), json]));
  return newest.size === records.length ? records : records.filter((json) => newest.get(idOf(json)) === json);
}

/** Returns the ID, which is the first member of a record's JSON. */
function idOf(json: string): string {
  return json.slice(0, json.indexOf(","));
}

function positionOf(json: string | undefined): Position | undefined {
  if (json === undefined) return undefined;
  const { updatedAt, id } = JSON.parse(json) as { updatedAt: string; id: string };
  return { updatedAt: Date.parse(updatedAt), id };
}
