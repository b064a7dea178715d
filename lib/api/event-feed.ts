import * as v from "valibot";
import { formatDateTime } from "../model/date-time.ts";
import { ApiError } from "../model/errors.ts";
import { type Event, event, eventTypes, hasEvents, kindOfEvent, matchesEventType } from "../model/event.ts";
import { type Kind, models } from "../model/kinds.ts";
import { toJsonText } from "../model/record-json.ts";
import { describe, jsonSchema, queryBoolean, queryList } from "../model/scalars.ts";
import { recordSchema } from "../model/schemas.ts";
import type { Position } from "../storage/storage.ts";
import type { Caller, EndpointCall, HandlerContext, HandlerResult } from "./endpoint.ts";
import { nextWatermark, respondWithPage, standardParameters } from "./list-endpoint.ts";
import { countRecordsThatFit, type Page, toPosition } from "./read-page.ts";

/** The kinds of the records that events are about. */
export const eventKinds = (Object.keys(models) as Kind[]).filter((kind) => hasEvents(kind));

/** The schema of an event in a response. */
export const eventSchema = recordSchema(event);

/** Maximum number of events that one request reads. */
const maxScanned = 1_000;
/** Number of events per read after the first one, which has a page and one more. */
const [firstRead, nextRead] = [101, 200];

/** Returns the query schema of a list of events of these kinds. */
export function eventQuery(kinds: readonly Kind[]) {
  const types = [...eventTypes(kinds), ...kinds.map((kind) => `${kind}.*`)];
  const { limit, cursor, updatedSince } = standardParameters;
  return {
    limit: v.optional(limit),
    cursor: v.optional(cursor),
    updatedSince: v.optional(updatedSince),
    types: v.optional(
      describe(
        queryList(v.picklist(types), 50),
        "Only events of these types, separated by commas. `<kind>.*` is all of a kind. `<kind>.updated` includes the " +
          "updates that have a type of their own, such as `task.completed`.",
      ),
    ),
    excludeOwn: v.optional(
      v.pipe(
        queryBoolean,
        jsonSchema({ default: false, description: "Whether to leave out the events of your own writes." }),
      ),
    ),
  };
}

/** Returns a page of the events of these kinds, in the order of their commits. */
export function listEvents(
  endpoint: string,
  kinds: readonly Kind[],
  querySchema: Readonly<Record<string, v.GenericSchema>>,
  call: EndpointCall,
  context: HandlerContext,
): Promise<HandlerResult> {
  const { tenantId } = call.caller;
  return respondWithPage(endpoint, querySchema, call, context, async ({ filters, position: after, limit }) => {
    const position = after && toPosition(after);
    const types = filters.types as readonly string[] | undefined;
    const visible = new Set<string>(kinds);
    const matches = (each: Event): boolean =>
      visible.has(kindOfEvent(each.type)) &&
      (types === undefined || types.some((type) => matchesEventType(type, each.type))) &&
      (filters.excludeOwn !== true || !isOwn(each, call.caller));
    const since = filters.updatedSince as number | undefined;
    const page = await scan(context.storage, tenantId, { position, since }, limit, matches);
    const from = await context.storage.eventsFrom(tenantId);
    const start = position?.updatedAt ?? since;
    // After the read, so that events that were deleted during it are noticed.
    if (start !== undefined && start < from) throw expiredError(from);
    const isEmpty = page.position === undefined;
    const watermark = isEmpty ? Math.max(from, await nextWatermark(context, tenantId, "event", since)) : page.watermark;
    return { ...page, watermark };
  });
}

/** Whether the caller's integration caused the event, or the admin. */
function isOwn({ integrationId, userId }: Event, caller: Caller): boolean {
  return caller.integrationId === null ? userId === caller.userId : integrationId === caller.integrationId;
}

/**
 * Reads events until a page is full or enough were read. The watermark is the time of the last event that was read if
 * its commit has more, otherwise the next millisecond: no later commit has an earlier time.
 */
async function scan(
  storage: HandlerContext["storage"],
  tenantId: string,
  { position, since }: { readonly position: Position | undefined; readonly since: number | undefined },
  limit: number,
  matches: (event: Event) => boolean,
): Promise<Page & { readonly watermark: number }> {
  const records: string[] = [];
  let [last, scanned, size] = [position, 0, Math.min(limit + 1, firstRead)];
  const page = (next?: Event) => {
    const time = last?.updatedAt ?? 0;
    const watermark = next?.updatedAt === time ? time : time + 1;
    return { records, hasMore: next !== undefined, position: last && { key: time, id: last.id }, watermark };
  };
  for (;;) {
    const start = last === undefined ? (since === undefined ? {} : { updatedSince: since }) : { after: last };
    const events = await storage.list(tenantId, "event", { ...start, limit: size });
    for (const each of events) {
      if (records.length === limit || scanned === maxScanned) return page(each);
      if (matches(each)) {
        records.push(toJsonText(event, each));
        if (countRecordsThatFit(records) < records.length) {
          records.pop();
          return page(each);
        }
      }
      scanned++;
      last = { updatedAt: each.updatedAt, id: each.id };
    }
    if (events.length < size) return page();
    size = nextRead;
  }
}

function expiredError(from: number): ApiError {
  const eventsFrom = formatDateTime(from);
  const remedy = `List the records, then continue with updatedSince=${eventsFrom}.`;
  const message = `The events at this position were deleted. Events exist from ${eventsFrom}. ${remedy}`;
  return new ApiError("invalid_cursor", message, { details: { reason: "expired", eventsFrom, remedy } });
}
