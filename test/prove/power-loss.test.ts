import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { apart } from "./once-program.ts";
import { type Edit, unable } from "./power-loss-crm.ts";
import { facts } from "./power-loss-log.ts";
import { losePower, losePowerTwice } from "./power-loss-lose.ts";
import { assertNoneBroken, contentOf, kept, record, recordedContentOf } from "./power-loss-run.ts";
import type { Course } from "./power-loss-workload.ts";
import { figures, size } from "./size.ts";

const skip = unable() ?? false;
/** Nothing here takes so long that it should be given up sooner. */
const timeout = size(300_000, 7_200_000);

/** So that the log is moved into the database more often than it would be in so short a time. */
const shortLog: Edit = ["lib/storage/sqlite/open.ts", "maxWalPages = 4_000", "maxWalPages = 1_000"];

const short: Course = [{ servers: 1, writes: 8, end: "stopped" }];

suite("power loss", { skip, concurrency: 2 }, () => {
  for (const [name, edits] of [
    ["", [shortLog]],
    [", with a thread for commits", [shortLog, apart]],
  ] as const) {
    test(`a power loss keeps every confirmed write and leaves no partial one${name}`, {
      timeout,
    }, async (t) => {
      const course: Course = [
        { servers: 1, writes: size(40, 60), end: "stopped" },
        { servers: 2, writes: size(5, 20), end: "killed in a commit" },
        { servers: 1, writes: size(5, 20), end: "killed in a commit" },
        { servers: 1, writes: size(10, 60), end: "stopped" },
      ];
      const earlier = process.env.POWER_LOSS_KEPT;
      const run = earlier === undefined ? await record(t, course, { edits }) : kept(t, earlier);
      assert.deepEqual(recordedContentOf(run), contentOf(run), "the log does not tell all that happened");
      const seen = facts(run.events);
      assert.ok(seen.checkpoints >= 4 && seen["logs begun anew"] >= 1, JSON.stringify(seen));
      const [states, starts, again] = [size(60, 2_000), size(2, 50), size(10, 20)];
      const broken = await losePower(run, { count: states });
      broken.push(...(await losePowerTwice(t, run, { count: starts, from: states }, { count: again })));
      figures(t, "power-loss", {
        "power losses": states,
        "in a start after one": starts * again,
        "broke a promise": broken.length,
        writes: run.journal.done.length,
        ...seen,
      });
      assertNoneBroken(run, broken);
    });
  }

  /** What was wrong once, or might be one day: how it is put into the product, on what course it shows, and as what. */
  const faults: readonly { name: string; edits: readonly Edit[]; course?: Course; seen: RegExp }[] = [
    {
      name: "synchronous=NORMAL",
      edits: [
        ["lib/storage/sqlite/open.ts", "synchronous = FULL", "synchronous = NORMAL"],
        ["lib/storage/sqlite/open.ts", "!== 2", "!== 1"],
      ],
      seen: /^lost: what was answered/,
    },
    {
      name: "an answer before the COMMIT",
      edits: [
        ["lib/storage/sqlite/transaction-runner.ts", "this.#commit.run();", "setImmediate(() => this.#commit.run());"],
      ],
      // No client reads what it has just written, and is not told that it is not there yet.
      course: [{ servers: 1, writes: 1, end: "stopped" }],
      seen: /^lost: what was answered/,
    },
    {
      name: "a commit of a program that died, read and never synced",
      edits: [["lib/storage/sqlite/open.ts", "      flushWal(database);\n", ""]],
      course: [
        { servers: 1, writes: 1, end: "killed in a commit" },
        { servers: 1, writes: 0, end: "stopped" },
      ],
      seen: /^lost: what was answered/,
    },
    {
      name: "a data folder whose name is not synced",
      edits: [
        [
          "lib/storage/sqlite/file-system.ts",
          "for (const created of mkdirPrivate(folder)) fsyncParent(created);",
          "mkdirPrivate(folder);",
        ],
      ],
      seen: /^lost: a tenant that the program had said it serves/,
    },
    {
      name: "a database that has its name before it is made",
      edits: [
        ["lib/storage/sqlite/open.ts", "    fs.linkSync(draft, file);\n", ""],
        [
          "lib/storage/sqlite/open.ts",
          "    const created = openConfigured(new Database(draft)",
          "    fs.linkSync(draft, file);\n    const created = openConfigured(new Database(draft)",
        ],
      ],
      seen: /is empty|can't be (?:read|opened)|unknown schema/,
    },
  ];

  for (const { name, edits, course = short, seen } of faults) {
    test(`${name} is detected`, { timeout }, async (t) => {
      const run = await record(t, course, { edits });
      let [tried, caught] = [0, undefined as string | undefined];
      for (; caught === undefined && tried < 2_000; tried += 20) {
        const broken = await losePower(run, { count: 20, from: tried });
        caught = broken.find(({ reason }) => seen.test(reason))?.story;
      }
      assert.ok(caught !== undefined, `${tried} power losses did not show it`);
      t.diagnostic(caught);
      figures(t, "power-loss", { "power losses until one showed it": tried });
    });
  }
});
