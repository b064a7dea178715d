import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { dice } from "../size.ts";
import { beginning, Crm, turns } from "./crm.ts";
import { Follower } from "./follower.ts";
import { history, type List, type Round } from "./history.ts";
import { groundIn } from "./storage.ts";
import { write } from "./writer.ts";

/**
 * Tries so many histories that follow from a seed: `PROGRAM SEED COUNT [DATABASE]`. Says what it counted in a line of
 * JSON. The database is one of PostgreSQL, and SQLite's files are used where there is none.
 */
const [seed = 0, count = 0] = process.argv.slice(2, 4).map(Number);
const [, , , , database] = process.argv;

/** That a disk keeps things is not the matter here: where there is a folder in memory, it is quicker. */
const root = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const folder = mkdtempSync(join(root, "crm-never-missed-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

const counted = { histories: 0, commits: 0, acknowledged: 0, pages: 0, restarts: 0, comparisons: 0 };
const acts = new Set<string>();

/** Everything of one round at once: the writes, each reader with its pages in a row, the restart. */
async function play(crm: Crm, lists: readonly List[], followers: readonly Follower[], round: Round): Promise<void> {
  const acknowledged = (act: string): void => {
    counted.acknowledged++;
    acts.add(act);
  };
  const { restart } = round;
  await Promise.all([
    ...round.writes.map((step) => write(crm, at(lists, step.list), step, acknowledged)),
    ...followers.map((each, index) =>
      each.read(round.reads.filter(({ reader }) => reader % followers.length === index)),
    ),
    restart && turns(restart.turns).then(() => crm.restart(restart.overlap)),
  ]);
  assert.deepEqual(crm.ledger.faults, []);
}

function at(lists: readonly List[], number: number): List {
  return lists[number % lists.length] ?? assert.fail("a history is about one list at least");
}

/** Nothing is under way: every reader ends with what the commits left, and so does a walk of every list. */
async function compare(
  crm: Crm,
  lists: readonly List[],
  followers: readonly Follower[],
  random: () => number,
): Promise<void> {
  for (const follower of followers) await follower.catchUp();
  const others = lists.map((list) => new Follower(crm, list, { filter: undefined, cursors: true }));
  const walkers = [...followers.filter(({ reader }) => reader.filter !== undefined), ...others];
  for (const walker of walkers) await walker.walk(random);
  for (const { pages } of others) counted.pages += pages;
  assert.deepEqual(crm.ledger.faults, []);
  counted.comparisons += followers.length + walkers.length;
}

const start = await beginning(await groundIn(folder, database));
const property = fc.asyncProperty(history, async ({ lists, readers, rounds, luck }) => {
  const random = dice(luck);
  const crm = await Crm.open(start, String(++counted.histories), random);
  try {
    const followers = readers.map((reader) => new Follower(crm, at(lists, reader.list), reader));
    for (const [index, round] of rounds.entries()) {
      await play(crm, lists, followers, round);
      if (round.quiet || index === rounds.length - 1) await compare(crm, lists, followers, random);
    }
    for (const { pages } of followers) counted.pages += pages;
  } finally {
    await crm.close();
  }
  counted.commits += crm.ledger.commits;
  counted.restarts += crm.restarts;
});
// In a database each history takes a while: the one that fails is told as it is.
await fc.assert(property, { seed, numRuns: count, endOnFailure: database !== undefined });
process.stdout.write(`${JSON.stringify({ counted, acts: [...acts] })}\n`);
