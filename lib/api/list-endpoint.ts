import * as v from "valibot";
import { formatDateTime, queryDateTime } from "../model/date-time.ts";
import { ApiError } from "../model/errors.ts";
import type { Kind } from "../model/kinds.ts";
import { joinList } from "../model/query-list.ts";
import { RawJson } from "../model/record-json.ts";
import { jsonSchema, queryBoolean, queryInteger } from "../model/scalars.ts";
import { queryWords } from "../model/search-words.ts";
import type { Query, RecordCount } from "../storage/storage.ts";
import { type CursorPosition, decodeCursor, encodeCursor, maxCursorLength } from "./cursor.ts";
import type { EndpointCall, HandlerContext, HandlerResult } from "./endpoint.ts";
import { assertSameOrder, toListError, toSort, withoutDefaultOrder } from "./list-order.ts";
import { type Page, readPage, toPosition } from "./read-page.ts";
import { maxCounted } from "./record-count.ts";

export type Filters = Readonly<Record<string, string | number | boolean | readonly string[]>>;

const maxLimit = 200;
const defaultLimit = 50;
/** Maximum difference between the clocks of two servers that share a database. */
const maxClockSkewMs = 60_000;

/** Query parameters that every list has. */
export const standardParameters = {
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
    jsonSchema({
      description: "Only records updated at or after this time. In a URL, write `+` as `%2B`.",
      examples: ["2026-03-01T00:00:00Z"],
    }),
  ),
  includeArchived: includeArchivedParameter("Whether to include archived records."),
};

/** The parameter that adds the number of matches to the headers of a page. */
export const countParameter = v.pipe(
  queryBoolean,
  jsonSchema({
    default: false,
    description:
      "Whether the response has `X-Total-Count`, the number of records that match the filters on all pages. At most 10,000 " +
      "records are examined. If there can be more matches, it has `X-Total-Count-Minimum` too.",
  }),
);

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

/** Returns one page, `{ data, nextCursor }`, in the order (updatedAt, id) or in that of the parameter `order`. */
export function listPage(
  kind: Kind,
  endpoint: string,
  querySchema: Readonly<Record<string, v.GenericSchema>>,
  call: EndpointCall,
  context: HandlerContext,
): Promise<HandlerResult> {
  const { tenantId } = call.caller;
  return respondWithPage(endpoint, querySchema, call, context, async ({ filters, position, limit }) => {
    const query = toStorageQuery(filters, position);
    const isCounted = (call.query as Filters).count === true;
    const [read, count] = await Promise.all([
      readPage(context.storage, tenantId, kind, query, limit),
      isCounted ? context.storage.count(tenantId, kind, query, maxCounted) : undefined,
    ]).catch((error: unknown) => {
      throw toListError(error, kind, filters);
    });
    const page = { ...read, count };
    if (query.sort !== undefined) return { ...page, watermark: undefined };
    const isRead = page.position !== undefined || position !== undefined;
    const watermark = isRead ? undefined : await nextWatermark(context, tenantId, kind, query.updatedSince);
    return { ...page, watermark: watermark ?? Number(page.position?.key ?? position?.key ?? 0) };
  });
}

/** The filters, the position and the size of a requested page. With a cursor, they are those of the cursor. */
export type PageRequest = {
  readonly filters: Filters;
  readonly position: CursorPosition | undefined;
  readonly limit: number;
};

type CountedPage = Page & { readonly count?: RecordCount | undefined };

/**
 * Reads the cursor of a request, and returns the page with its cursor, `Link`, `X-Next-Updated-Since` and, if it is
 * counted, `X-Total-Count`. `watermark` is the time that a client can store after the page. Without it, the page isn't
 * for syncs and has neither of the first two headers.
 */
export async function respondWithPage(
  endpoint: string,
  querySchema: Readonly<Record<string, v.GenericSchema>>,
  call: EndpointCall,
  context: HandlerContext,
  read: (request: PageRequest) => Promise<CountedPage & { readonly watermark: number | undefined }>,
): Promise<HandlerResult> {
  const { tenantId } = call.caller;
  const {
    limit: requestedLimit,
    cursor,
    count: _,
    ...parameters
  } = call.query as Filters & { limit?: number; cursor?: string };
  const requested = withoutDefaultOrder(parameters);
  const scope = { tenantId, endpoint };
  const secret = await context.secret();
  const previous = cursor === undefined ? undefined : decodeCursor(secret, scope, cursor, toTexts(requested));
  assertSameOrder(parameters.order, previous?.filters.order);
  const filters = previous === undefined ? requested : { ...parseFilters(querySchema, previous.filters), ...requested };
  const limit = requestedLimit ?? previous?.limit ?? defaultLimit;
  const { records, hasMore, position, watermark, count } = await read({ filters, position: previous?.position, limit });
  const texts = toTexts(filters);
  const next =
    hasMore && position !== undefined ? encodeCursor(secret, scope, { position, filters: texts, limit }) : undefined;
  return {
    status: 200,
    body: pageBody(records, next?.cursor ?? null),
    headers: {
      ...(watermark !== undefined && {
        "X-Next-Updated-Since": formatDateTime(watermark) ?? "",
        ...(next && { Link: `<?${nextPageQuery(next, texts)}>; rel="next"` }),
      }),
      ...(count && { "X-Total-Count": String(count.count) }),
      ...(count?.isMinimum && { "X-Total-Count-Minimum": "true" }),
    },
  };
}

/** Returns the body of a page. */
export function pageBody(records: readonly string[], nextCursor: string | null): RawJson {
  return new RawJson(`{"data":[${records.join(",")}],"nextCursor":${JSON.stringify(nextCursor)}}`);
}

/**
 * Returns the watermark of an empty first page: the watermark of the client, unless it is ahead of the tenant clock.
 * Commits after this page could then be older than the watermark.
 */
export async function nextWatermark(
  { storage, clock }: Pick<HandlerContext, "storage" | "clock">,
  tenantId: string,
  kind: Kind,
  updatedSince = 0,
): Promise<number> {
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

function toStorageQuery(
  { updatedSince, includeArchived, order, q, ...where }: Filters,
  after: CursorPosition | undefined,
): Query {
  const sort = toSort(order, after);
  return {
    where,
    includeArchived: includeArchived === true,
    ...(sort ? { sort } : after && { after: toPosition(after) }),
    ...(updatedSince !== undefined && { updatedSince: Number(updatedSince) }),
    ...(q !== undefined && { words: queryWords(String(q)) }),
  };
}

/** Returns the filters as query parameters. Equal values have equal texts. */
function toTexts(filters: Filters): Record<string, string> {
  const entries = Object.entries(filters).map(([name, value]) => {
    if (typeof value === "number") return [name, formatDateTime(value) ?? ""];
    return [name, typeof value === "object" ? joinList(value) : String(value)];
  });
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
