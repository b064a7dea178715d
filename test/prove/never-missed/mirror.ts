import assert from "node:assert/strict";
import type { Result } from "../../support/harness.ts";
import { type Position, positionOf, type Shown } from "./ledger.ts";

/**
 * Where a client continues: at a cursor, or with filters and `updatedSince`. All further records are after `position`.
 */
type Point = { readonly filters: string; readonly cursor?: string; readonly position: Position };

/** The state that a client stores with the records. */
type Checkpoint = { readonly since: Point; readonly cursor: Point | undefined; readonly position: Position };

/** The filters of a client that reads everything. */
export const everything = "includeArchived=true";

/** The options of a page request. */
export type PageOptions = { readonly limit: number; readonly filtersAgain?: boolean };

/**
 * A client that syncs one list as documented, and checks each page: its order, its length and its watermark.
 */
export class Mirror {
  /** The client's current copy. */
  records = new Map<string, Shown>();
  /** Everything that was committed up to here is in the copy. */
  position: Position = "";
  pages = 0;
  readonly #filters: string;
  readonly #saved = new Map<string, Shown>();
  #pending: Shown[] = [];
  #next: Point;
  #since: Point;
  #lastCursor: Point | undefined;
  #stored: Checkpoint;

  /** @param filters a query string without `limit`, `cursor` and `updatedSince` */
  constructor(filters: string) {
    this.#filters = filters;
    this.#since = { filters, position: "" };
    this.#next = this.#since;
    this.#stored = { since: this.#since, cursor: undefined, position: "" };
  }

  /** Requests one page and adds it to the copy, without storing anything. Returns the page. */
  async page(get: (query: string) => Promise<Result>, options: PageOptions) {
    const { filters, cursor } = this.#next;
    const from =
      cursor === undefined ? filters : `cursor=${cursor}${options.filtersAgain === true ? `&${filters}` : ""}`;
    const result = await get(`limit=${options.limit}&${from}`);
    return this.#take(result, options.limit);
  }

  #take(result: Result, limit: number) {
    assert.equal(result.status, 200, result.text);
    const { data, nextCursor } = result.body as { data: readonly Shown[]; nextCursor: string | null };
    const { filters, cursor, position } = this.#next;
    const positions = [position, ...data.map(positionOf)];
    const unordered = positions.filter((each, index) => index > 0 && each <= (positions[index - 1] ?? ""));
    assert.deepEqual(unordered, [], "these came twice or out of order");
    assert.ok(data.length <= limit && (nextCursor === null || data.length === limit), `${data.length} of ${limit}`);
    // Without a filter, records after a cursor can move to a later position but never disappear.
    const emptied = cursor !== undefined && this.#filters === everything && data.length === 0;
    assert.ok(!emptied, "the previous page had a cursor");
    const since = result.headers.get("x-next-updated-since") ?? "";
    const reached = data.at(-1)?.updatedAt ?? (position.slice(0, 24) || "1970-01-01T00:00:00.000Z");
    assert.equal(since, reached, "X-Next-Updated-Since is the end of the page");

    for (const record of data) this.records.set(record.id, record);
    this.#pending.push(...data);
    this.position = positions.at(-1) ?? "";
    this.pages++;
    const moved = cursor !== undefined || data.length === 0 || since !== position;
    this.#since = { filters: `${this.#filters}&updatedSince=${since}`, position: since };
    if (nextCursor !== null) this.#lastCursor = { filters, cursor: nextCursor, position: this.position };
    this.#next = nextCursor === null ? this.#since : (this.#lastCursor ?? this.#since);
    return { data, last: nextCursor === null, moved };
  }

  /** Stores the records, but not the position. */
  storeRecords(): void {
    for (const record of this.#pending) this.#saved.set(record.id, record);
    this.#pending = [];
  }

  /** Stores the records, and then the position. */
  store(): void {
    this.storeRecords();
    this.#stored = { since: this.#since, cursor: this.#lastCursor, position: this.position };
  }

  /** Loses everything that isn't stored, and continues from the stored watermark or the last stored cursor. */
  crash(by: "since" | "cursor" = "since"): void {
    const { since, cursor, position } = this.#stored;
    this.#pending = [];
    this.records = new Map(this.#saved);
    this.position = position;
    this.#since = since;
    this.#lastCursor = cursor;
    this.#next = by === "cursor" && cursor !== undefined ? cursor : since;
  }
}
