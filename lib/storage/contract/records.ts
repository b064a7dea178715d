import { eventId } from "../../model/event.ts";
import { type Kind, models, type Records } from "../../model/kinds.ts";
import type { Model } from "../../model/model.ts";
import type { Storage, Write } from "../storage.ts";

/** Time of the first commit of the tests. */
export const startTime = Date.parse("2026-03-01T12:00:00.000Z");

/** Returns the ID of a record by the numbers of its tenant and of the record. Record 0 is the tenant. */
export function idOf(tenant: number, index: number): string {
  return `0195${String(tenant).padStart(4, "0")}-0000-7000-8000-${String(index).padStart(12, "0")}`;
}

/** Returns the fields that every kind has. */
export function baseFields(id: string, at: number) {
  return { id, createdAt: at, updatedAt: at, archivedAt: null };
}

/** Returns an insert. */
export function insertWrite<K extends Kind>(kind: K, record: Records[K]): Write {
  return { op: "insert", kind, record } as unknown as Write;
}

/** Returns an update of `record` with some fields changed. */
export function updateWrite<K extends Kind>(kind: K, record: Records[K], changes: Partial<Records[K]>): Write {
  return {
    op: "update",
    kind,
    record: { ...record, ...changes },
    expectedUpdatedAt: record.updatedAt,
  } as unknown as Write;
}

/** Commits and returns the commit time. */
export async function commitNow(
  storage: Storage,
  tenant: string,
  now: number,
  propose: (at: number) => readonly Write[],
): Promise<number> {
  let last = Number.NaN;
  await storage.commit(tenant, now, (at) => {
    last = at;
    return propose(at);
  });
  return last;
}

/** Returns a record with the defaults of its model in all other fields. */
function newRecord<K extends Kind>(kind: K, id: string, at: number, fields: Partial<Records[K]>): Records[K] {
  const defaults = Object.entries((models[kind] as Model).fields).map(([name, field]) => [name, field.default ?? null]);
  return { ...Object.fromEntries(defaults), ...baseFields(id, at), ...fields };
}

export function newAccount(id: string, at: number, fields: Partial<Records["account"]> = {}): Records["account"] {
  return newRecord("account", id, at, { name: `Account ${id}`, ...fields });
}

export function newContact(id: string, at: number, fields: Partial<Records["contact"]> = {}): Records["contact"] {
  return newRecord("contact", id, at, { name: `Contact ${id}`, ...fields });
}

export function newTask(id: string, at: number, fields: Partial<Records["task"]> = {}): Records["task"] {
  return newRecord("task", id, at, { title: `Task ${id}`, priority: "low", status: "pending", ...fields });
}

export function newNote(
  id: string,
  at: number,
  relatedTo: Records["note"]["relatedTo"],
  fields: Partial<Records["note"]> = {},
): Records["note"] {
  return newRecord("note", id, at, { body: `Note ${id}`, relatedTo, occurredAt: at, ...fields });
}

export function newOpportunity(
  id: string,
  at: number,
  fields: Partial<Records["opportunity"]> & Pick<Records["opportunity"], "pipelineId" | "stageId">,
): Records["opportunity"] {
  return newRecord("opportunity", id, at, { name: `Opportunity ${id}`, ...fields });
}

export function newUser(id: string, at: number, fields: Partial<Records["user"]> = {}): Records["user"] {
  const rest = { name: `User ${id}`, email: `${id}@crm.test`, role: "member", active: true, externalId: null } as const;
  return { ...rest, ...baseFields(id, at), ...fields };
}

export function newIdempotencyRecord(id: string, at: number, createdAt = at): Records["idempotencyRecord"] {
  const rest = { integrationId: null, fingerprint: "f", path: "/tasks", status: 201, body: "{}", location: null };
  return { ...rest, ...baseFields(id, at), createdAt };
}

export function newEvent(recordId: string, time: number): Records["event"] {
  const change = { changed: ["title"], before: { title: "Call" }, previousAt: time - 1 };
  return newRecord("event", eventId(time, "task", recordId), time, { type: "task.updated", recordId, ...change });
}

/** Creates a tenant without records and returns its ID. */
export async function createTenant(storage: Storage, tenant: number, now = startTime): Promise<string> {
  const id = idOf(tenant, 0);
  await storage.commit(id, now, (at) => [insertWrite("tenant", { name: `Tenant ${tenant}`, ...baseFields(id, at) })]);
  return id;
}
