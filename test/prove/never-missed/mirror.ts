import assert from "node:assert/strict";
import type { Result } from "../../support/harness.ts";
import { type Place, placeOf, type Shown } from "./ledger.ts";

/** Where a client asks on: a cursor, or the filters and `updatedSince` of a new walk; all that comes lies behind `place`. */
type Point = { readonly walk: string; readonly cursor?: string; readonly place: Place };

/** What a client has on its disk beside the records. */
type Checkpoint = { readonly since: Point; readonly cursor: Point | undefined; readonly stand: Place };

/** The filters of a client that hears of everything. */
export const everything = "includeArchived=true";

/** How a page was asked for. */
export type Ask = { readonly limit: number; readonly filtersAgain?: boolean };

/**
 * A client that keeps a copy of one list by the documented protocol, and looks at each page as it comes: its order,
 * its length, and the point that it says is safe to store.
 */
export class Mirror {
  /** The copy as the client has it now. */
  records = new Map<string, Shown>();
  /** Everything that was committed up to here is in the copy. */
  stand: Place = "";
  pages = 0;
  readonly #filters: string;
  readonly #kept = new Map<string, Shown>();
  #pending: Shown[] = [];
  #next: Point;
  #since: Point;
  #lastCursor: Point | undefined;
  #stored: Checkpoint;

  /** @param filters a query string without `limit`, `cursor` and `updatedSince` */
  constructor(filters: string) {
    this.#filters = filters;
    this.#since = { walk: filters, place: "" };
    this.#next = this.#since;
    this.#stored = { since: this.#since, cursor: undefined, stand: "" };
  }

  /** Asks for one page and takes it in, without storing anything. Answers what it brought. */
  async page(get: (query: string) => Promise<Result>, ask: Ask) {
    const { walk, cursor } = this.#next;
    const from = cursor === undefined ? walk : `cursor=${cursor}${ask.filtersAgain === true ? `&${walk}` : ""}`;
    const result = await get(`limit=${ask.limit}&${from}`);
    return this.#take(result, ask.limit);
  }

  #take(result: Result, limit: number) {
    assert.equal(result.status, 200, result.text);
    const { data, nextCursor } = result.body as { data: readonly Shown[]; nextCursor: string | null };
    const { walk, cursor, place } = this.#next;
    const places = [place, ...data.map(placeOf)];
    const astray = places.filter((each, index) => index > 0 && each <= (places[index - 1] ?? ""));
    assert.deepEqual(astray, [], "these came twice in one walk, or out of order");
    assert.ok(data.length <= limit && (nextCursor === null || data.length === limit), `${data.length} of ${limit}`);
    // Without a filter, what lay behind a cursor may move on but never goes away.
    const emptied = cursor !== undefined && this.#filters === everything && data.length === 0;
    assert.ok(!emptied, "the page before said that there was more");
    const since = result.headers.get("x-next-updated-since") ?? "";
    const reached = data.at(-1)?.updatedAt ?? (place.slice(0, 24) || "1970-01-01T00:00:00.000Z");
    assert.equal(since, reached, "X-Next-Updated-Since is where the page ends");

    for (const record of data) this.records.set(record.id, record);
    this.#pending.push(...data);
    this.stand = places.at(-1) ?? "";
    this.pages++;
    const moved = cursor !== undefined || data.length === 0 || since !== place;
    this.#since = { walk: `${this.#filters}&updatedSince=${since}`, place: since };
    if (nextCursor !== null) this.#lastCursor = { walk, cursor: nextCursor, place: this.stand };
    this.#next = nextCursor === null ? this.#since : (this.#lastCursor ?? this.#since);
    return { data, last: nextCursor === null, moved };
  }

  /** Puts the records on the disk, but not yet how far they go. */
  keep(): void {
    for (const record of this.#pending) this.#kept.set(record.id, record);
    this.#pending = [];
  }

  /** Puts the records on the disk, and then how far they go. */
  store(): void {
    this.keep();
    this.#stored = { since: this.#since, cursor: this.#lastCursor, stand: this.stand };
  }

  /** Loses all that is not on the disk, and goes on from the point, or the last cursor, that is stored there. */
  crash(by: "since" | "cursor" = "since"): void {
    const { since, cursor, stand } = this.#stored;
    this.#pending = [];
    this.records = new Map(this.#kept);
    this.stand = stand;
    this.#since = since;
    this.#lastCursor = cursor;
    this.#next = by === "cursor" && cursor !== undefined ? cursor : since;
  }
}
