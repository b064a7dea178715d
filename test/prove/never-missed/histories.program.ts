import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { seededRandom } from "../size.ts";
import { Crm, createStartState, turns } from "./crm.ts";
import { Follower } from "./follower.ts";
import { history, type List, type Round } from "./history.ts";
import { openTemplate } from "./storage.ts";
import { write } from "./writer.ts";

/**
 * Runs histories of a seed: `PROGRAM SEED COUNT [DATABASE]`. Prints its figures as a line of JSON. The database is a
 * PostgreSQL URL. The default is SQLite files.
 */
const [seed = 0, count = 0] = process.argv.slice(2, 4).map(Number);
const [, , , , database] = process.argv;

/** These tests don't depend on a disk, and a folder in memory is faster. */
const root = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const folder = mkdtempSync(join(root, "crm-never-missed-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

const counted = { histories: 0, commits: 0, acknowledged: 0, pages: 0, restarts: 0, comparisons: 0 };
const acts = new Set<string>();

/** Everything of one round at once: the writes, each reader with its pages in a row, the restart. */
async function runRound(crm: Crm, lists: readonly List[], followers: readonly Follower[], round: Round): Promise<void> {
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

/** Checks, when no request is running, that every reader and a new read of every list have all committed records. */
async function compare(
  crm: Crm,
  lists: readonly List[],
  followers: readonly Follower[],
  random: () => number,
): Promise<void> {
  for (const follower of followers) await follower.catchUp();
  const others = lists.map((list) => new Follower(crm, list, { filter: undefined, cursors: true }));
  const readers = [...followers.filter(({ reader }) => reader.filter !== undefined), ...others];
  for (const reader of readers) await reader.readAll(random);
  for (const { pages } of others) counted.pages += pages;
  assert.deepEqual(crm.ledger.faults, []);
  counted.comparisons += followers.length + readers.length;
}

const start = await createStartState(await openTemplate(folder, database));
const property = fc.asyncProperty(history, async ({ lists, readers, rounds, seed: historySeed }) => {
  const random = seededRandom(historySeed);
  const crm = await Crm.open(start, String(++counted.histories), random);
  try {
    const followers = readers.map((reader) => new Follower(crm, at(lists, reader.list), reader));
    for (const [index, round] of rounds.entries()) {
      await runRound(crm, lists, followers, round);
      if (round.quiet || index === rounds.length - 1) await compare(crm, lists, followers, random);
    }
    for (const { pages } of followers) counted.pages += pages;
  } finally {
    await crm.close();
  }
  counted.commits += crm.ledger.commits;
  counted.restarts += crm.restarts;
});
// Doesn't shrink a failing history, which takes longer than the test may.
await fc.assert(property, { seed, numRuns: count, endOnFailure: true });
process.stdout.write(`${JSON.stringify({ counted, acts: [...acts] })}\n`);
