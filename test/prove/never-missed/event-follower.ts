import assert from "node:assert/strict";
import type { Storage } from "../../../lib/index.ts";
import { type Entity, entityKinds } from "../../../lib/model/entities.ts";
import { type Event, eventId, kindOfEvent } from "../../../lib/model/event.ts";
import type { Result } from "../../support/harness.ts";

type ShownEvent = { readonly id: string };

/**
 * A client that follows `GET /events`, stores its watermark with the events, and sometimes forgets everything since.
 */
export class EventFollower {
  /** The IDs of the events in the order in which they came. */
  ids: string[] = [];
  pages = 0;
  #cursor: string | null = null;
  #since = "";
  #stored: { readonly count: number; readonly since: string } = { count: 0, since: "" };

  /** Requests one page. Returns whether it is the last one so far. */
  async page(get: (query: string) => Promise<Result>, limit: number): Promise<boolean> {
    const from = this.#cursor === null ? `updatedSince=${this.#since}` : `cursor=${this.#cursor}`;
    const { status, body, headers, text } = await get(`limit=${limit}&${from}`);
    assert.equal(status, 200, text);
    const { data, nextCursor } = body as { data: readonly ShownEvent[]; nextCursor: string | null };
    const known = new Set(this.ids.slice(-limit));
    // A watermark within a commit returns the events of this commit again.
    this.ids.push(...data.map(({ id }) => id).filter((id) => !known.has(id)));
    this.pages++;
    this.#cursor = nextCursor;
    this.#since = headers.get("x-next-updated-since") ?? assert.fail();
    return nextCursor === null;
  }

  /** Stores the watermark and the events. */
  store(): void {
    this.#stored = { count: this.ids.length, since: this.#since };
  }

  /** Continues from what was stored. */
  crash(): void {
    this.ids.length = this.#stored.count;
    this.#since = this.#stored.since;
    this.#cursor = null;
  }
}

/** Reads all events of a tenant in the order of their commits. */
export async function allEvents(storage: Storage, tenant: string): Promise<readonly Event[]> {
  return storage.list(tenant, "event", {});
}

/**
 * Asserts that the events of accounts, contacts, opportunities and tasks are the changes of the records: each version
 * since the load of the tenant has one event with its time, and there are no others.
 */
export async function assertEventPerChange(storage: Storage, tenant: string): Promise<number> {
  const from = await storage.eventsFrom(tenant);
  const events = new Map((await allEvents(storage, tenant)).map((event) => [event.id, event]));
  const kinds: ReadonlySet<string> = new Set(entityKinds);
  const unseen = new Set([...events.values()].filter(({ type }) => kinds.has(kindOfEvent(type))).map(({ id }) => id));
  const count = unseen.size;
  for (const kind of entityKinds)
    for (const record of await storage.list(tenant, kind, { includeArchived: true }))
      assertChain(kind, record, from, events, unseen);
  assert.deepEqual([...unseen], [], "these events have no change");
  return count;
}

function assertChain(
  kind: Entity,
  { id, updatedAt }: { readonly id: string; readonly updatedAt: number },
  from: number,
  events: ReadonlyMap<string, Event>,
  unseen: Set<string>,
): void {
  for (let at: number | null = updatedAt; at !== null && at > from; ) {
    const event = events.get(eventId(at, kind, id));
    assert.ok(event !== undefined, `${kind} ${id} has no event at ${at}`);
    assert.deepEqual([event.recordId, event.updatedAt], [id, at]);
    assert.equal(event.previousAt === null, event.type === `${kind}.created`);
    assert.ok(unseen.delete(event.id), "the event belongs to one change");
    at = event.previousAt;
  }
}
