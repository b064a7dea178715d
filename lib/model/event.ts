import * as v from "valibot";
import { model, type RecordOf } from "./model.ts";
import { unboundedText, uuid } from "./scalars.ts";
import { uuidV8At } from "./uuid.ts";

/** A change of one record by one commit. `previousAt` is the `updatedAt` of the version before. */
export const event = model(
  "event",
  "events",
  {
    type: { schema: unboundedText, required: true },
    recordId: { schema: uuid, required: true },
    changed: { schema: v.nullable(v.array(v.string())), column: "json" },
    before: { schema: v.nullable(v.record(v.string(), v.unknown())), column: "json" },
    previousAt: { schema: v.nullable(v.number()), column: "timestamp", hidden: true },
    integrationId: { schema: v.nullable(uuid) },
    keyId: { schema: v.nullable(uuid) },
    userId: { schema: v.nullable(uuid) },
    requestId: { schema: v.nullable(unboundedText) },
  },
  "A change of one record by one request. Its ID starts with the time of the commit, so IDs have the order of the commits.",
  {
    type: "The kind of the record, a dot, and a verb, such as `task.completed`.",
    recordId: "ID of the record.",
    changed:
      "Names of the fields that changed, without `updatedAt`; a custom field is `customFields.<key>`. Null for a new record.",
    before:
      "Former values of the changed fields by name. Values of more than 1,000 characters of JSON are omitted. Null for a " +
      "new record.",
    previousAt: "",
    integrationId: "ID of the integration that sent the request. Null for an admin.",
    keyId: "ID of the API key of the request. Null for an admin.",
    userId: "ID of the admin who sent the request. Null for an integration.",
    requestId: "The `X-Request-Id` of the request. Null if it didn't come over HTTP.",
  },
);
export type Event = RecordOf<typeof event>;

/** Returns the ID of the event that a commit at this time has for a record. */
export function eventId(at: number, kind: string, recordId: string): string {
  return uuidV8At(at, `${kind} ${recordId}`);
}

const verbs = ["created", "updated", "archived", "restored"] as const;

/** Verbs of updates that have a name of their own, by kind. */
export const updateVerbs = {
  opportunity: ["won", "lost", "reopened", "stage_changed"],
  task: ["completed", "canceled", "reopened"],
  apiKey: ["revoked"],
  webhook: ["secret_rotated"],
} as const;

const kindsWithoutEvents = new Set(["idempotencyRecord", "event", "webhookState", "consoleAccess"]);

/** Returns whether a write of a record of this kind has an event. */
export function hasEvents(kind: string): boolean {
  return !kindsWithoutEvents.has(kind);
}

/** Returns the event types of these kinds. */
export function eventTypes(kinds: readonly string[]): readonly string[] {
  return kinds.flatMap((kind) => [...verbs, ...updateVerbsOf(kind)].map((verb) => `${kind}.${verb}`));
}

function updateVerbsOf(kind: string): readonly string[] {
  return Object.hasOwn(updateVerbs, kind) ? updateVerbs[kind as keyof typeof updateVerbs] : [];
}

/** Returns the kind of the record of an event. */
export function kindOfEvent(type: string): string {
  return type.slice(0, type.indexOf("."));
}

/**
 * Returns whether an event type matches a filter: a type, or `<kind>.*`. `<kind>.updated` also matches the updates that
 * have a name of their own.
 */
export function matchesEventType(filter: string, type: string): boolean {
  if (filter === type) return true;
  const [kind, verb] = [kindOfEvent(type), type.slice(type.indexOf(".") + 1)];
  return filter === `${kind}.*` || (filter === `${kind}.updated` && updateVerbsOf(kind).includes(verb));
}
