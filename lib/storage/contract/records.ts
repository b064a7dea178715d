import { eventId } from "../../model/event.ts";
import type { Kind, Records } from "../../model/kinds.ts";
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

export function newAccount(id: string, at: number, fields: Partial<Records["account"]> = {}): Records["account"] {
  const empty = { document: null, website: null, phone: null, email: null, description: null, address: null };
  const none = { ownerId: null, externalId: null, customFields: {} };
  return { ...empty, ...none, ...baseFields(id, at), name: `Account ${id}`, ...fields };
}

export function newContact(id: string, at: number, fields: Partial<Records["contact"]> = {}): Records["contact"] {
  const none = { email: null, phone: null, jobTitle: null, accountId: null, ownerId: null, externalId: null };
  return { ...none, customFields: {}, ...baseFields(id, at), name: `Contact ${id}`, ...fields };
}

export function newTask(id: string, at: number, fields: Partial<Records["task"]> = {}): Records["task"] {
  const none = { description: null, dueDate: null, relatedTo: null, assignedTo: null, closedAt: null };
  return { ...none, ...baseFields(id, at), title: `Task ${id}`, priority: "low", status: "pending", ...fields };
}

export function newNote(
  id: string,
  at: number,
  relatedTo: Records["note"]["relatedTo"],
  fields: Partial<Records["note"]> = {},
): Records["note"] {
  const none = { authorId: null, externalId: null };
  return { ...none, ...baseFields(id, at), body: `Note ${id}`, relatedTo, occurredAt: at, ...fields };
}

export function newOpportunity(
  id: string,
  at: number,
  fields: Partial<Records["opportunity"]> & Pick<Records["opportunity"], "pipelineId" | "stageId">,
): Records["opportunity"] {
  const none = { accountId: null, amount: null, currency: null, expectedCloseDate: null, ownerId: null };
  const times = { lostReason: null, closedAt: null, stageChangedAt: null, externalId: null };
  const rest = { status: "open", customFields: {}, name: `Opportunity ${id}` } as const;
  return { ...none, ...times, ...rest, contactIds: [], ...baseFields(id, at), ...fields };
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
  const caller = { integrationId: null, keyId: null, userId: null, requestId: null };
  const change = {
    type: "task.updated",
    recordId,
    changed: ["title"],
    before: { title: "Call" },
    previousAt: time - 1,
  };
  return {
    id: eventId(time, "task", recordId),
    ...change,
    ...caller,
    createdAt: time,
    updatedAt: time,
    archivedAt: null,
  };
}

/** Creates a tenant without records and returns its ID. */
export async function createTenant(storage: Storage, tenant: number, now = startTime): Promise<string> {
  const id = idOf(tenant, 0);
  await storage.commit(id, now, (at) => [insertWrite("tenant", { name: `Tenant ${tenant}`, ...baseFields(id, at) })]);
  return id;
}
