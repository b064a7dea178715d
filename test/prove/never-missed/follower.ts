import assert from "node:assert/strict";
import { listPaths } from "../../support/entity-fields.ts";
import { type Crm, tenants, turns } from "./crm.ts";
import { filtersOf, isWanted } from "./fields.ts";
import type { List, Read, Reader } from "./history.ts";
import { positionOf, type Shown, type Synced } from "./ledger.ts";
import { Mirror } from "./mirror.ts";

/** A reader of a history, with its copy of the list. */
export class Follower {
  readonly mirror: Mirror;
  readonly reader: Pick<Reader, "filter" | "cursors">;
  pages = 0;
  readonly #crm: Crm;
  readonly #kind: Synced;
  readonly #tenant: (typeof tenants)[number];
  readonly #filters: Readonly<Record<string, string>>;
  readonly #archived: boolean;

  constructor(crm: Crm, { tenant, kind }: List, reader: Pick<Reader, "filter" | "cursors">) {
    const { filter } = reader;
    this.#crm = crm;
    this.reader = reader;
    this.#kind = kind;
    this.#tenant = tenants[tenant] ?? tenants[0];
    this.#filters = filter === undefined ? {} : filtersOf(this.#tenant, kind, filter);
    this.#archived = filter === undefined || filter % 2 === 0;
    this.mirror = this.newMirror();
  }

  /** Returns an empty copy of the same list. */
  newMirror(): Mirror {
    return new Mirror(`${new URLSearchParams({ includeArchived: String(this.#archived), ...this.#filters })}`);
  }

  /** Returns the committed records that match the filters of this reader. */
  matchingRecords(): Shown[] {
    const all = this.#crm.ledger.records(this.#tenant.id, this.#kind);
    return all.filter((each) => isWanted(each, this.#filters, this.#archived));
  }

  /** Reads one page into a copy, which must then contain everything up to its position. */
  async page(mirror: Mirror, limit: number, filtersAgain = false) {
    const kind = this.#kind;
    const get = (query: string) => this.#crm.call("GET", `${listPaths[kind]}?${query}`, { key: this.#tenant.key });
    const page = await mirror.page(get, { limit, filtersAgain });
    this.pages++;
    for (const each of page.data) assert.ok(this.#crm.ledger.has(kind, each), `never committed: ${positionOf(each)}`);
    this.assertNothingMissed(mirror);
    return page;
  }

  /** Checks that everything committed before the client's position is in its copy. */
  assertNothingMissed({ position, records }: Mirror): void {
    const missed = this.matchingRecords().filter(
      (each) => positionOf(each) <= position && !isSame(records.get(each.id), each),
    );
    assert.deepEqual(missed, [], `missed before ${position}`);
  }

  /** Reads the pages of one round into the copy. After each, it stores, crashes or continues. */
  async read(reads: readonly Read[]): Promise<void> {
    const { mirror } = this;
    for (const { limit, filtersAgain, turns: count, after, resume } of reads) {
      await turns(count);
      const page = await this.page(mirror, limit, filtersAgain);
      if (after === "crashBeforeWatermark") mirror.storeRecords();
      else if (after !== "continue" && after !== "crashBeforeStore") mirror.store();
      if (after === "crashBeforeStore" || after === "crashBeforeWatermark") mirror.crash(resume);
      else if (after === "crashAfterStore" || (!this.reader.cursors && (page.moved || limit > 10))) mirror.crash();
      this.assertNothingMissed(mirror);
    }
  }

  /** Reads to the end. The copy then has all records of the server, and records that no longer match the filter. */
  async catchUp(): Promise<void> {
    const { mirror } = this;
    for (let last = false; !last; ) {
      ({ last } = await this.page(mirror, 30));
      mirror.store();
      if (!this.reader.cursors) mirror.crash();
    }
    const wanted = this.matchingRecords();
    if (this.reader.filter === undefined) assert.equal(mirror.records.size, wanted.length);
    for (const each of wanted) assert.deepEqual(mirror.records.get(each.id), each);
  }

  /** Reads the list while nothing changes. Each page is full, and the last one has no cursor. */
  async readAll(random: () => number): Promise<void> {
    const wanted = this.matchingRecords();
    const mirror = this.newMirror();
    const found: Shown[] = [];
    for (let last = false; !last; ) {
      const left = wanted.length - found.length;
      const limit = Math.min(200, random() < 0.3 ? Math.max(1, left) : 1 + Math.floor(random() ** 2 * (left + 3)));
      const page = await this.page(mirror, limit, random() < 0.5);
      assert.deepEqual([page.data.length, page.last], [Math.min(limit, left), left <= limit]);
      found.push(...page.data);
      last = page.last;
    }
    assert.deepEqual(found, wanted);
  }
}

function isSame(a: Shown | undefined, b: Shown): boolean {
  return a !== undefined && positionOf(a) === positionOf(b);
}
