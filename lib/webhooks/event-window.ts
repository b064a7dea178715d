import type { Event } from "../model/event.ts";
import type { Position } from "../storage/storage.ts";

/** An event after the position of a webhook. */
export type PendingEvent = { readonly event: Event; state: "waiting" | "sending" | "settled" };

/** The events after the position of a webhook that were read. The position moves over events that are settled. */
export class EventWindow {
  readonly #events: PendingEvent[] = [];
  #position: Position;
  #readTo: Position;

  constructor(position: Position) {
    this.#position = position;
    this.#readTo = position;
  }

  /** All events up to this position are settled. */
  get position(): Position {
    return this.#position;
  }

  /** The events up to this position were read. */
  get readTo(): Position {
    return this.#readTo;
  }

  get size(): number {
    return this.#events.length;
  }

  /** Commit time of the first event that isn't settled. Undefined if there is none. */
  get oldestAt(): number | undefined {
    return this.#events[0]?.event.updatedAt;
  }

  /** Adds the next events in the order of their commits. Those that aren't wanted are settled. */
  add(events: readonly Event[], isWanted: (event: Event) => boolean): void {
    for (const event of events) {
      this.#events.push({ event, state: isWanted(event) ? "waiting" : "settled" });
      this.#readTo = { updatedAt: event.updatedAt, id: event.id };
    }
    this.#advance();
  }

  /**
   * Moves the position after the time of the last event, if all are settled and no later one exists. The deletion of
   * that event then doesn't look like a gap. The next commit has a later time.
   */
  reachEnd(): void {
    if (this.#events.length > 0 || this.#position.id === "") return;
    this.#position = { updatedAt: this.#position.updatedAt + 1, id: "" };
    this.#readTo = this.#position;
  }

  /** Returns up to `count` events that can be sent now: of each record, only the first one that isn't settled. */
  sendable(count: number): readonly PendingEvent[] {
    const [found, records]: [PendingEvent[], Set<string>] = [[], new Set()];
    for (const each of this.#events) {
      if (found.length >= count) break;
      if (each.state === "settled" || records.has(each.event.recordId)) continue;
      records.add(each.event.recordId);
      if (each.state === "waiting") found.push(each);
    }
    return found;
  }

  settle(each: PendingEvent): void {
    each.state = "settled";
    this.#advance();
  }

  #advance(): void {
    const end = this.#events.findIndex(({ state }) => state !== "settled");
    const settled = this.#events.splice(0, end === -1 ? this.#events.length : end);
    const last = settled.at(-1)?.event;
    if (last !== undefined) this.#position = { updatedAt: last.updatedAt, id: last.id };
  }
}
