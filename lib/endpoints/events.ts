import { type Endpoint, endpoint } from "../api/endpoint.ts";
import { noScopeError } from "../api/endpoint-request.ts";
import { eventKinds, eventQuery, eventSchema, listEvents } from "../api/event-feed.ts";
import { entityKinds, entityModels, entityNames } from "../model/entities.ts";
import { setUpTag } from "./set-up-pipelines.ts";

const about =
  "Events are in the order of their commits. To follow them, store `X-Next-Updated-Since` after you process each page and " +
  "send it as `updatedSince` next time. The filters apply after reading, and a request reads at most 1,000 events, so a page " +
  "can be short or empty and still have a `nextCursor`. Events are deleted after some time. A position before the first " +
  "event that exists returns `400 invalid_cursor` with the reason `expired` and the time `eventsFrom`: list the records, " +
  "then continue from there.";

const query = eventQuery(entityKinds);
const adminQuery = eventQuery(eventKinds);
const example = { query: { limit: "2", types: "opportunity.won,task.*" } };
const requiredScopes = entityKinds.map((kind) => `${entityModels[kind].plural}:read` as const);

/** The endpoints that list events: those of records for integrations, and all for admins. */
export const events: readonly Endpoint[] = [
  endpoint({
    name: "listEvents",
    method: "GET",
    path: "/events",
    summary: "List events",
    description:
      `Returns what happened to ${entityNames}: those that the API key may read. Needs the scope of at least one of them. ` +
      about,
    tag: { name: "Events", description: "The changes of all records, in their order, with their authors." },
    query,
    success: { status: 200, data: eventSchema, collection: "page" },
    canWait: true,
    errors: ["insufficient_scope"],
    example,
    handle: (call, context) => {
      const { scopes } = call.caller;
      const kinds = entityKinds.filter((kind) => scopes.includes(`${entityModels[kind].plural}:read`));
      if (kinds.length === 0) throw noScopeError(requiredScopes, call.caller);
      return listEvents("listEvents", kinds, query, call, context);
    },
  }),
  endpoint({
    name: "adminListEvents",
    method: "GET",
    path: "/admin/events",
    summary: "List events of records and of the set-up",
    description: `Returns what happened to records and to the set-up of the tenant. ${about}`,
    tag: setUpTag,
    access: "admin",
    query: adminQuery,
    success: { status: 200, data: eventSchema, collection: "page" },
    canWait: true,
    example: { query: { limit: "2", types: "customField.*" } },
    handle: (call, context) => listEvents("adminListEvents", eventKinds, adminQuery, call, context),
  }),
];
