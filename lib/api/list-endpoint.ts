import * as v from "valibot";
import { ApiError } from "../model/errors.ts";
import type { Kind } from "../model/kinds.ts";
import { RawJson } from "../model/record-json.ts";
import { dateTime, jsonSchema, queryBoolean, queryInteger } from "../model/scalars.ts";
import { formatDateTime } from "../model/time.ts";
import type { Position, Query } from "../storage/storage.ts";
import { decodeCursor, encodeCursor, maxCursorLength } from "./cursor.ts";
import type { Context, EndpointCall, HandlerResult } from "./endpoint.ts";
import { readPage } from "./read-page.ts";

type Filters = Readonly<Record<string, string | number | boolean>>;

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
    jsonSchema({ maxLength: maxCursorLength, description: "`nextCursor` of the previous page. Doesn't expire." }),
  ),
  updatedSince: v.pipe(
    dateTime,
    jsonSchema({ description: "Only records updated at or after this time. In a URL, write `+` as `%2B`." }),
  ),
  includeArchived: v.pipe(
    queryBoolean,
    jsonSchema({ default: false, description: "Whether to include archived records." }),
  ),
};

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
  context: Context,
): Promise<HandlerResult> {
  const { tenantId } = call.caller;
  const { limit: givenLimit, cursor, ...given } = call.query as Filters & { limit?: number; cursor?: string };
  const scope = { tenantId, endpoint };
  const secret = await context.secret();
  const previous = cursor === undefined ? undefined : decodeCursor(secret, scope, cursor, toTexts(given));
  const filters = previous === undefined ? given : { ...parseFilters(querySchema, previous.filters), ...given };
  const limit = givenLimit ?? previous?.limit ?? defaultLimit;
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
 * Returns the watermark of an empty first page. It is the client's own watermark, unless that lies in the future of the
 * tenant clock. Then later commits can be older than it.
 */
async function nextWatermark({ storage, clock }: Context, tenantId: string, kind: Kind, { updatedSince = 0 }: Query) {
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
