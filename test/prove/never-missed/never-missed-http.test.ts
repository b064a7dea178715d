import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { listPaths } from "../../support/entity-fields.ts";
import { testedStorage } from "../../support/storages.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { serverCounts } from "../served-storage.ts";
import { figures, full, seed, seededRandom, size } from "../size.ts";
import { EventFollower } from "./event-follower.ts";
import { Servers } from "./http-servers.ts";
import { Acknowledged, write } from "./http-writer.ts";
import { kinds, type Synced } from "./ledger.ts";
import { everything, Mirror } from "./mirror.ts";

/** A kind of reader: how it requests a page, and what it does afterwards. */
type ReaderKind = {
  readonly name: string;
  /** Selects a server by a number from 0 to 1. */
  readonly server: (random: number) => number;
  readonly limit: (random: number) => number;
  readonly after: (mirror: Mirror, random: number) => void;
};

const eventsPath = "/events";
const some = (random: number): number => 2 + Math.floor(random ** 3 * 199);
const readerKinds: readonly ReaderKind[] = [
  { name: "with cursors", server: () => 0, limit: some, after: (mirror) => mirror.store() },
  {
    name: "without cursors",
    server: () => 0.99,
    limit: some,
    after(mirror) {
      mirror.store();
      mirror.crash();
    },
  },
  {
    name: "crashing",
    server: () => 0,
    limit: some,
    after(mirror, random) {
      if (random < 0.3) mirror.crash();
      else if (random < 0.4) mirror.storeRecords();
      else if (random < 0.7) mirror.store();
    },
  },
  { name: "with limit 1", server: () => 0.99, limit: () => 1, after: (mirror) => mirror.store() },
  { name: "between servers", server: (random) => random, limit: some, after: (mirror) => mirror.store() },
];

/** A client with a copy of all four lists. */
class Client {
  readonly readerKind: ReaderKind;
  readonly mirrors = new Map<Synced, Mirror>(kinds.map((kind) => [kind, new Mirror(everything)]));
  readonly #servers: Servers;
  readonly #random: () => number;
  readonly #stuck = new Set<Mirror>();

  constructor(readerKind: ReaderKind, servers: Servers, random: () => number) {
    this.readerKind = readerKind;
    this.#servers = servers;
    this.#random = random;
  }

  /** Reads a page of each list in turn while others write, and then each list to its end. */
  async follow(going: () => boolean): Promise<void> {
    while (going()) for (const [kind, mirror] of this.mirrors) await this.#page(kind, mirror);
    for (const [kind, mirror] of this.mirrors) while (!(await this.#page(kind, mirror)));
    for (const mirror of this.mirrors.values()) mirror.store();
  }

  /** Reads one page of a list. Returns whether it is the last one so far and the client still has it. */
  async #page(kind: Synced, mirror: Mirror): Promise<boolean> {
    const server = Math.floor(this.readerKind.server(this.#random()) * this.#servers.count);
    const get = (query: string) => this.#servers.send(server, "GET", `${listPaths[kind]}?${query}`);
    // Without a cursor, a page whose records share one updatedAt makes no progress, so the next one must be longer.
    const limit = this.#stuck.has(mirror) ? 200 : this.readerKind.limit(this.#random());
    const { last, moved } = await mirror.page(get, { limit, filtersAgain: this.#random() < 0.5 });
    if (moved) this.#stuck.delete(mirror);
    else this.#stuck.add(mirror);
    const { position } = mirror;
    this.readerKind.after(mirror, this.#random());
    return last && mirror.position === position;
  }

  pages(): number {
    return [...this.mirrors.values()].reduce((sum, { pages }) => sum + pages, 0);
  }
}

for (const count of serverCounts) {
  test(
    `every sync gets every record while ${count} processes on one ${testedStorage} are killed in turn`,
    {
      timeout: size(600_000, 7_200_000),
    },
    (t) => everySyncEnds(t, count),
  );
}

/** Minimum steps per writer, and minimum writes in total. On PostgreSQL a full run has two parts, and takes longer. */
const [steps, least] = testedStorage === "postgres" && full ? [800, 8_000] : [size(120, 3_000), size(1_000, 25_000)];

/** Kills random servers, one after the other, with pauses. */
async function killsIn(servers: Servers): Promise<void> {
  const random = seededRandom(seed + 200);
  for (let kills = 0; kills < size(6, 100); kills++) {
    await pause(random() * 400);
    await servers.kill(Math.floor(random() * servers.count));
  }
}

/** Follows the events on all servers, with crashes of the follower. */
async function followEvents(follower: EventFollower, servers: Servers, random: () => number, going: () => boolean) {
  const page = (limit: number): Promise<boolean> => {
    const server = Math.floor(random() * servers.count);
    return follower.page((query) => servers.send(server, "GET", `${eventsPath}?${query}`), limit);
  };
  while (going()) {
    await page(some(random()));
    if (random() < 0.5) follower.store();
    else if (random() < 0.2) follower.crash();
  }
  while (!(await page(200)));
}

async function everySyncEnds(t: TestContext, count: number): Promise<void> {
  t.diagnostic(`FC_SEED=${seed}`);
  const folder = temporaryFolder(t);
  const servers = await Servers.start(t, folder, size(50, 200), count);
  const acknowledged = new Acknowledged();
  const clients = readerKinds.map((habit, index) => new Client(habit, servers, seededRandom(seed + index)));
  let [writing, killing] = [true, true];
  const hasNext = (step: number): boolean => killing || step < steps;
  const writers = Array.from({ length: 8 }, (_, index) =>
    write(servers, acknowledged, hasNext, seededRandom(seed + 100 + index)),
  );
  const written = Promise.all([...writers, killsIn(servers).finally(() => (killing = false))]).finally(() => {
    writing = false;
  });
  const follower = new EventFollower();
  const following = followEvents(follower, servers, seededRandom(seed + 300), () => writing);
  await Promise.all([written, following, ...clients.map((client) => client.follow(() => writing))]);
  await servers.stop();
  const events = await servers.events();
  assert.deepEqual(follower.ids, events);

  let records = 0;
  for (const kind of kinds) {
    const stored = await servers.readAll(kind);
    records += stored.length;
    assert.deepEqual(acknowledged.missingIn(new Map(stored.map((each) => [each.id, each])), kind), []);
    for (const { readerKind: habit, mirrors } of clients) {
      const copy = mirrors.get(kind)?.records ?? new Map();
      const missed = stored.filter((each) => JSON.stringify(copy.get(each.id)) !== JSON.stringify(each));
      assert.deepEqual(missed, [], `the sync ${habit.name} missed these`);
      assert.equal(copy.size, stored.length, `the sync ${habit.name} has records that don't exist`);
    }
  }
  assert.ok(acknowledged.writes > least, `only ${acknowledged.writes} writes`);
  const pages = clients.reduce((sum, client) => sum + client.pages(), 0);
  const { requests, rejected, kills, broken } = servers;
  figures(t, "never-missed-http", {
    servers: count,
    "kills with SIGKILL": kills,
    "broken connections": broken,
    writes: acknowledged.writes,
    records,
    pages,
    requests,
    rejected,
    events: events.length,
    "records missed": 0,
  });
}
