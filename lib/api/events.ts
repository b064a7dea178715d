import { type Event, eventId, hasEvents } from "../model/event.ts";
import { type Kind, models } from "../model/kinds.ts";
import { type BaseRecord, type FieldValues, type Model, toJsonObject } from "../model/model.ts";
import type { Write } from "../storage/storage.ts";
import type { Caller } from "./endpoint.ts";
import { deepEqual } from "./rules/record-diff.ts";

/** The write that stores an event. */
export type EventInsert = Extract<Write, { op: "insert"; kind: "event" }>;

type Values = BaseRecord & FieldValues;

/** A former value with more characters of JSON isn't stored. */
const maxValueLength = 1_000;

/**
 * Returns the inserts of the events of a commit: one for each record that it writes. A write that changes nothing but
 * `updatedAt` has none. The rotation of a secret has one without values.
 * @throws TypeError if an update has no `before`
 */
export function eventsOf(
  writes: readonly Write[],
  { integrationId, keyId, userId }: Caller,
  requestId: string | null,
  at: number,
  now: number,
): readonly EventInsert[] {
  return writes.flatMap((write): EventInsert[] => {
    const { kind } = write;
    if (!hasEvents(kind)) return [];
    const record = write.record as unknown as Values;
    const before = write.op === "update" ? requireBefore(write) : undefined;
    const former = before === undefined ? undefined : formerValues(models[kind], before, record);
    const verb = verbOf(kind, before, record);
    if (former?.size === 0 && verb === "updated") return [];
    const event: Event = {
      id: eventId(at, kind, record.id),
      type: `${kind}.${verb}`,
      recordId: record.id,
      changed: former === undefined ? null : [...former.keys()],
      before: former === undefined ? null : Object.fromEntries([...former].filter(([, value]) => isShort(value))),
      previousAt: write.op === "update" ? write.expectedUpdatedAt : null,
      ...{ integrationId, keyId, userId, requestId },
      ...{ createdAt: now, updatedAt: at, archivedAt: null },
    };
    return [{ op: "insert", kind: "event", record: event }];
  });
}

function requireBefore({ kind, before, record }: Extract<Write, { op: "update" }>): Values {
  if (before === undefined) throw new TypeError(`The update of ${kind} ${record.id} has no before.`);
  return before as unknown as Values;
}

/**
 * Returns the former value of each visible field that differs, as in responses, with custom fields by
 * `customFields.<key>`.
 */
function formerValues(model: Model, before: Values, after: Values): ReadonlyMap<string, unknown> {
  const former = new Map<string, unknown>();
  let texts: Record<string, unknown> | undefined;
  const visible = Object.entries(model.fields).filter(([, { hidden }]) => hidden !== true);
  for (const name of [...visible.map(([name]) => name), "archivedAt"]) {
    if (before[name] === after[name]) continue;
    if (name === "customFields") addCustomValues(former, before[name], after[name]);
    else if (!deepEqual(before[name], after[name])) {
      // Times are texts in responses.
      texts ??= toJsonObject(model, before);
      former.set(name, texts[name] ?? null);
    }
  }
  return former;
}

function addCustomValues(former: Map<string, unknown>, before: unknown, after: unknown): void {
  // Entries, because a key can be the name of a member of every object, such as `constructor`.
  const [from, to] = [before, after].map((values) => new Map(Object.entries((values ?? {}) as FieldValues)));
  for (const key of new Set([...(from?.keys() ?? []), ...(to?.keys() ?? [])]))
    if (!deepEqual(from?.get(key), to?.get(key))) former.set(`customFields.${key}`, from?.get(key) ?? null);
}

function isShort(value: unknown): boolean {
  return JSON.stringify(value).length <= maxValueLength;
}

function verbOf(kind: Kind, before: Values | undefined, after: Values): string {
  if (before === undefined) return "created";
  if ((before.archivedAt === null) !== (after.archivedAt === null))
    return after.archivedAt === null ? "restored" : "archived";
  const isNewStatus = before.status !== after.status;
  if (kind === "opportunity" && isNewStatus) return after.status === "open" ? "reopened" : String(after.status);
  if (kind === "opportunity" && before.stageId !== after.stageId) return "stage_changed";
  if (kind === "task" && isNewStatus) return after.status === "pending" ? "reopened" : String(after.status);
  if (kind === "apiKey" && before.revokedAt === null && after.revokedAt !== null) return "revoked";
  if (kind === "webhook" && before.secret !== after.secret) return "secret_rotated";
  return "updated";
}
