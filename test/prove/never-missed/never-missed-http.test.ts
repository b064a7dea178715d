import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { testedStorage } from "../../support/storages.ts";
import { serverCounts } from "../served-storage.ts";
import { dice, figures, full, seed, size } from "../size.ts";
import { Servers } from "./http-servers.ts";
import { Acknowledged, write } from "./http-writer.ts";
import { kinds, type Synced } from "./ledger.ts";
import { everything, Mirror } from "./mirror.ts";
import { paths } from "./writer.ts";

/** A kind of reader: how it asks for a page, and what becomes of it when the page is there. */
type Habit = {
  readonly name: string;
  /** The part of all servers, from 0 to 1, in which the one is that it asks. */
  readonly server: (luck: number) => number;
  readonly limit: (luck: number) => number;
  readonly after: (mirror: Mirror, luck: number) => void;
};

const some = (luck: number): number => 2 + Math.floor(luck ** 3 * 199);
const habits: readonly Habit[] = [
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
    after(mirror, luck) {
      if (luck < 0.3) mirror.crash();
      else if (luck < 0.4) mirror.keep();
      else if (luck < 0.7) mirror.store();
    },
  },
  { name: "with limit 1", server: () => 0.99, limit: () => 1, after: (mirror) => mirror.store() },
  { name: "between servers", server: (luck) => luck, limit: some, after: (mirror) => mirror.store() },
];

/** One client that keeps a copy of all four lists. */
class Client {
  readonly habit: Habit;
  readonly mirrors = new Map<Synced, Mirror>(kinds.map((kind) => [kind, new Mirror(everything)]));
  readonly #servers: Servers;
  readonly #dice: () => number;
  readonly #stuck = new Set<Mirror>();

  constructor(habit: Habit, servers: Servers, random: () => number) {
    this.habit = habit;
    this.#servers = servers;
    this.#dice = random;
  }

  /** Goes on while others write, a page of each list in turn, and then to the end of each. */
  async follow(going: () => boolean): Promise<void> {
    while (going()) for (const [kind, mirror] of this.mirrors) await this.#page(kind, mirror);
    for (const [kind, mirror] of this.mirrors) while (!(await this.#page(kind, mirror)));
    for (const mirror of this.mirrors.values()) mirror.store();
  }

  /** One page of one list. Answers whether it was the last for now, and the client still has it. */
  async #page(kind: Synced, mirror: Mirror): Promise<boolean> {
    const server = Math.floor(this.habit.server(this.#dice()) * this.#servers.count);
    const get = (query: string) => this.#servers.ask(server, "GET", `${paths[kind]}?${query}`);
    // Without a cursor, a page of one instant alone does not get on: the next one has to be longer.
    const limit = this.#stuck.has(mirror) ? 200 : this.habit.limit(this.#dice());
    const { last, moved } = await mirror.page(get, { limit, filtersAgain: this.#dice() < 0.5 });
    if (moved) this.#stuck.delete(mirror);
    else this.#stuck.add(mirror);
    const { stand } = mirror;
    this.habit.after(mirror, this.#dice());
    return last && mirror.stand === stand;
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

/** How much each writer does at the least, and all of them together. On PostgreSQL a full run has two parts, and takes longer. */
const [steps, least] = testedStorage === "postgres" && full ? [800, 8_000] : [size(120, 3_000), size(1_000, 25_000)];

/** One of them is killed, answers again, works for a while, and then another is. */
async function killsIn(servers: Servers): Promise<void> {
  const roll = dice(seed + 200);
  for (let kills = 0; kills < size(6, 100); kills++) {
    await pause(roll() * 400);
    await servers.kill(Math.floor(roll() * servers.count));
  }
}

async function everySyncEnds(t: TestContext, count: number): Promise<void> {
  t.diagnostic(`FC_SEED=${seed}`);
  const folder = mkdtempSync(join(tmpdir(), "crm-never-missed-http-"));
  t.after(() => rmSync(folder, { recursive: true, maxRetries: 5 }));
  const servers = await Servers.start(t, folder, size(50, 200), count);
  const told = new Acknowledged();
  const clients = habits.map((habit, index) => new Client(habit, servers, dice(seed + index)));
  let [writing, killing] = [true, true];
  const goesOn = (step: number): boolean => killing || step < steps;
  const writers = Array.from({ length: 8 }, (_, index) => write(servers, told, goesOn, dice(seed + 100 + index)));
  const written = Promise.all([...writers, killsIn(servers).finally(() => (killing = false))]).finally(() => {
    writing = false;
  });
  await Promise.all([written, ...clients.map((client) => client.follow(() => writing))]);
  await servers.stop();

  let records = 0;
  for (const kind of kinds) {
    const left = await servers.left(kind);
    records += left.length;
    assert.deepEqual(told.missingIn(new Map(left.map((each) => [each.id, each])), kind), []);
    for (const { habit, mirrors } of clients) {
      const copy = mirrors.get(kind)?.records ?? new Map();
      const missed = left.filter((each) => JSON.stringify(copy.get(each.id)) !== JSON.stringify(each));
      assert.deepEqual(missed, [], `the sync ${habit.name} missed these`);
      assert.equal(copy.size, left.length, `the sync ${habit.name} has records that are not there`);
    }
  }
  assert.ok(told.writes > least, `only ${told.writes} writes`);
  const pages = clients.reduce((sum, client) => sum + client.pages(), 0);
  const { requests, refused, kills, broken } = servers;
  figures(t, "never-missed-http", {
    servers: count,
    "kills with SIGKILL": kills,
    "broken connections": broken,
    writes: told.writes,
    records,
    pages,
    requests,
    refused,
    "records missed": 0,
  });
}
