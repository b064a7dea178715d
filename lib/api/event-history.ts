import * as v from "valibot";
import { type Event, event, eventId } from "../model/event.ts";
import type { Kind } from "../model/kinds.ts";
import { toJsonText } from "../model/record-json.ts";
import { jsonSchema, queryInteger } from "../model/scalars.ts";
import { decodeCursor, encodeCursor, maxCursorLength } from "./cursor.ts";
import type { EndpointCall, HandlerContext, HandlerResult } from "./endpoint.ts";
import { pageBody } from "./list-endpoint.ts";

const [defaultHistory, maxHistory] = [20, 50];

/** Query parameters of a history. */
export const historyQuery = {
  limit: v.optional(
    v.pipe(
      queryInteger(1, maxHistory),
      jsonSchema({ default: defaultHistory, description: `Page size, 1 to ${maxHistory}.` }),
    ),
  ),
  cursor: v.optional(
    v.pipe(v.string(), jsonSchema({ maxLength: maxCursorLength, description: "`nextCursor` of the previous page." })),
  ),
};

type HistoryQuery = { readonly limit?: number | undefined; readonly cursor?: string | undefined };

/** Returns a page of the events of a record, newest first. */
export async function listHistory(
  kind: Kind,
  record: { readonly id: string; readonly updatedAt: number },
  { caller: { tenantId }, query }: EndpointCall,
  context: HandlerContext,
): Promise<HandlerResult> {
  const { limit: requestedLimit, cursor } = query as HistoryQuery;
  const secret = await context.secret();
  const scope = { tenantId, endpoint: `history ${record.id}` };
  const previous = cursor === undefined ? undefined : decodeCursor(secret, scope, cursor, {});
  const limit = requestedLimit ?? previous?.limit ?? defaultHistory;
  const events: Event[] = [];
  // Each event has the time of the one before, which is a part of its ID.
  for (
    let at: number | null = Number(previous?.position.key ?? record.updatedAt);
    at !== null && events.length <= limit;
  ) {
    const found: Event | undefined = await context.storage.get(tenantId, "event", eventId(at, kind, record.id));
    if (found === undefined) break;
    events.push(found);
    at = found.previousAt;
  }
  const next = events[limit];
  const position = next && { key: next.updatedAt, id: next.id };
  const nextCursor =
    position === undefined ? null : encodeCursor(secret, scope, { position, filters: {}, limit }).cursor;
  const data = events.slice(0, limit).map((each) => toJsonText(event, each));
  return { status: 200, body: pageBody(data, nextCursor) };
}
