import * as v from "valibot";
import { decodeCursor, encodeCursor, maxCursorLength } from "../api/cursor.ts";
import { type Caller, type Endpoint, type EndpointCall, endpoint, type HandlerContext } from "../api/endpoint.ts";
import { formatDateTime, queryDateTime } from "../model/date-time.ts";
import { ApiError, errorCodes } from "../model/errors.ts";
import { describe, jsonSchema, nonEmptyText, queryInteger, refine, uuid } from "../model/scalars.ts";
import { countKeys, type RequestEntry, type RequestQuery } from "../storage/request-log.ts";
import { requestEntrySchema, requestTotalSchema } from "./request-schemas.ts";

const tag = {
  name: "Requests",
  description:
    "The requests of the last days, with the reason of each failure. For support, not for a sync: entries can be missing.",
};

const dayMs = 86_400_000;
const [defaultLimit, maxLimit, maxCounts, maxSameId] = [50, 200, 100, 200];
const statusPattern = /^(?:[45]xx|[1-5]\d\d)$/;

const time = v.pipe(queryDateTime, jsonSchema({ examples: ["2026-11-02T09:00:00Z"] }));

const filters = {
  status: v.optional(
    v.pipe(
      v.string(),
      jsonSchema({ pattern: statusPattern.source, description: "A status such as `422`, or `4xx` or `5xx`." }),
      refine("invalid_format", (text) => statusPattern.test(text), "must be a status such as 422, or 4xx or 5xx"),
    ),
  ),
  code: v.optional(describe(v.picklist(errorCodes), "Only failures with this error code.")),
  operation: v.optional(describe(nonEmptyText(100), "Only requests of this operation, such as `createTask`.")),
  since: v.optional(describe(time, "Only requests at or after this time.")),
  until: v.optional(describe(time, "Only requests before this time.")),
};

const paging = {
  limit: v.optional(
    v.pipe(
      queryInteger(1, maxLimit),
      jsonSchema({ default: defaultLimit, description: `Page size, 1 to ${maxLimit}.` }),
    ),
  ),
  cursor: v.optional(
    v.pipe(
      v.string(),
      jsonSchema({
        maxLength: maxCursorLength,
        description: "`nextCursor` of the previous page. Send it with the same filters.",
      }),
    ),
  ),
};

const adminFilters = {
  ...filters,
  integrationId: v.optional(describe(uuid, "Only requests of this integration.")),
};

const loggedRequests =
  "Failures, writes and requests of admins are logged for some days (7 by default), newest first. Successful reads are only counted.";
const params = { requestId: "0199c0a1-2b3c-7d4e-8f50-617283940a1b" };

/** The endpoints of the request log. */
export const requests: readonly Endpoint[] = [
  endpoint({
    name: "listRequests",
    method: "GET",
    path: "/requests",
    summary: "List own requests",
    description: `Returns the requests of the integration. ${loggedRequests} No scope is required.`,
    tag,
    query: { ...filters, ...paging },
    success: { status: 200, data: requestEntrySchema, collection: "page" },
    example: { query: { limit: "2", status: "4xx" } },
    handle: (call, context) => listRequests("listRequests", ownRequests(call.caller), call, context),
  }),
  endpoint({
    name: "getRequest",
    method: "GET",
    path: "/requests/:requestId",
    summary: "Retrieve an own request",
    description:
      "Returns all requests of the integration with this request ID, newest first, because a client can send the same ID " +
      "again. Returns 404 if there is none. No scope is required.",
    tag,
    success: { status: 200, data: requestEntrySchema, collection: "list" },
    errors: ["not_found"],
    example: { params },
    handle: (call, context) => getRequest(ownRequests(call.caller), call, context),
  }),
  endpoint({
    name: "adminListRequests",
    method: "GET",
    path: "/admin/requests",
    access: "admin",
    summary: "List the requests of a tenant",
    description: `Returns the requests of all integrations and admins. ${loggedRequests}`,
    tag,
    query: { ...adminFilters, ...paging },
    success: { status: 200, data: requestEntrySchema, collection: "page" },
    example: { query: { limit: "2", status: "4xx" } },
    handle: (call, context) => listRequests("adminListRequests", {}, call, context),
  }),
  endpoint({
    name: "adminCountRequests",
    method: "GET",
    path: "/admin/requests/counts",
    access: "admin",
    summary: "Count the requests of a tenant",
    description: `Returns the number of requests by operation, integration or error code, the most frequent first, or by hour, the last one first. At most ${maxCounts}.`,
    tag,
    query: {
      by: describe(v.picklist(countKeys), "The member by which requests are counted."),
      since: v.optional(describe(time, "Only requests at or after this time. 24 hours ago by default.")),
    },
    success: { status: 200, data: requestTotalSchema, collection: "list" },
    example: { query: { by: "code" } },
    async handle({ caller: { tenantId }, query: { by, since } }, { requestLog, clock }) {
      const from = since ?? clock.now() - dayMs;
      const totals = await requestLog.totals(tenantId, { by, since: from, limit: maxCounts });
      const data = totals.map(({ durationMs, maxMs, key, ...each }) => ({
        key: by === "hour" ? formatDateTime(Number(key)) : key,
        ...each,
        averageMs: rounded(durationMs / each.count),
        maxMs: rounded(maxMs),
      }));
      return { status: 200, body: { data } };
    },
  }),
  endpoint({
    name: "adminGetRequest",
    method: "GET",
    path: "/admin/requests/:requestId",
    access: "admin",
    summary: "Retrieve a request of a tenant",
    description: "Returns all requests of the tenant with this request ID, newest first. Returns 404 if there is none.",
    tag,
    success: { status: 200, data: requestEntrySchema, collection: "list" },
    errors: ["not_found"],
    example: { params },
    handle: (call, context) => getRequest({}, call, context),
  }),
];

/** Returns the filter for the caller's own requests. */
function ownRequests({ integrationId, keyId, userId }: Caller): Partial<RequestQuery> {
  return integrationId === null ? { integrationId, keyId, userId } : { integrationId };
}

type ListQuery = {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
} & { readonly [Name in keyof typeof adminFilters]?: string | number | undefined };

async function listRequests(
  operation: string,
  owner: Partial<RequestQuery>,
  call: EndpointCall<ListQuery>,
  { requestLog, secret: readSecret }: HandlerContext,
) {
  const { tenantId } = call.caller;
  const { limit: requestedLimit, cursor, ...requested } = call.query;
  const secret = await readSecret();
  const scope = { tenantId, endpoint: `${operation} ${JSON.stringify(owner)}` };
  const texts = toTexts(requested);
  const previous = cursor === undefined ? undefined : decodeCursor(secret, scope, cursor, texts);
  const filters = previous?.filters ?? texts;
  const limit = requestedLimit ?? previous?.limit ?? defaultLimit;
  const after = previous && { at: Number(previous.position.key), id: previous.position.id };
  // One more entry shows whether another page follows.
  const found = await requestLog.find(tenantId, { ...toQuery(filters), ...owner, after, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const next = last && encodeCursor(secret, scope, { position: { key: last.at, id: last.id }, filters, limit });
  return {
    status: 200,
    body: { data: page.map(toJson), nextCursor: next?.cursor ?? null },
    headers: next === undefined ? {} : { Link: `<?cursor=${next.cursor}>; rel="next"` },
  };
}

function toTexts(filters: Omit<ListQuery, "limit" | "cursor">): Readonly<Record<string, string>> {
  const present = Object.entries(filters).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, String(value)]));
}

function toQuery({ status, since, until, ...filters }: Readonly<Record<string, string>>): Partial<RequestQuery> {
  return {
    ...filters,
    statuses: status === undefined ? undefined : statusesOf(status),
    since: since === undefined ? undefined : Number(since),
    until: until === undefined ? undefined : Number(until),
  };
}

async function getRequest(
  owner: Partial<RequestQuery>,
  { caller, params }: EndpointCall,
  { requestLog }: HandlerContext,
) {
  const found = await requestLog.find(caller.tenantId, { ...owner, requestId: params.requestId, limit: maxSameId });
  if (found.length === 0)
    throw new ApiError("not_found", "There is no entry with this request ID. Entries are removed after some days.");
  return { status: 200, body: { data: found.map(toJson) } };
}

function statusesOf(status: string): readonly [number, number] {
  const first = Number(status.replace("xx", "00"));
  return status.endsWith("xx") ? [first, first + 99] : [first, first];
}

function toJson({ tenantId: _tenant, id: _id, at, durationMs, ...others }: RequestEntry) {
  return { ...others, at: formatDateTime(at), durationMs: rounded(durationMs) };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
