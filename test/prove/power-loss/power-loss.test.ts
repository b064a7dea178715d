import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { commitWorkerEdit } from "../exactly-once/program-builds.ts";
import { figures, size } from "../size.ts";
import { countEvents } from "./event-log.ts";
import { type Edit, skipReason } from "./machine.ts";
import { assertNoneBroken, contentOf, loadRun, recordedContentOf, recordRun } from "./run.ts";
import { losePower, losePowerTwice } from "./simulate.ts";
import type { Workload } from "./workload.ts";

const skip = skipReason() ?? false;
const timeout = size(300_000, 7_200_000);

/** Makes checkpoints more frequent than they would be in a short run. */
const smallWal: Edit = ["lib/storage/sqlite/open.ts", "maxWalPages = 4_000", "maxWalPages = 1_000"];

/** Starts the commit worker with the first commit. Lone commits stay on the main thread. */
const bothThreads: Edit = ["lib/storage/sqlite/connection-pair.ts", "workerAfterMs = 100", "workerAfterMs = -1"];

const short: Workload = [{ servers: 1, writes: 8, end: "stopped" }];

suite("power loss", { skip, concurrency: 2 }, () => {
  for (const [name, edits] of [
    ["", [smallWal]],
    [", with a commit worker", [smallWal, commitWorkerEdit]],
    [", with commits on both threads", [smallWal, bothThreads]],
  ] as const) {
    test(`a power loss keeps every confirmed write and leaves no partial one${name}`, {
      timeout,
    }, async (t) => {
      const workload: Workload = [
        { servers: 1, writes: size(40, 60), end: "stopped" },
        { servers: 2, writes: size(5, 20), end: "killed in a commit" },
        { servers: 1, writes: size(5, 20), end: "killed in a commit" },
        { servers: 1, writes: size(10, 60), end: "stopped" },
      ];
      const savedRun = process.env.POWER_LOSS_RUN;
      const run = savedRun === undefined ? await recordRun(t, workload, { edits }) : loadRun(t, savedRun);
      assert.deepEqual(recordedContentOf(run), contentOf(run), "the event log is incomplete");
      const counts = countEvents(run.events);
      assert.ok(counts.checkpoints >= 4 && counts["WAL restarts"] >= 1, JSON.stringify(counts));
      const [states, starts, statesPerStart] = [size(60, 2_000), size(2, 50), size(10, 20)];
      const broken = await losePower(run, { count: states });
      broken.push(...(await losePowerTwice(t, run, { count: starts, from: states }, { count: statesPerStart })));
      figures(t, "power-loss", {
        "power losses": states,
        "during the next start": starts * statesPerStart,
        "broken promises": broken.length,
        writes: run.journal.completed.length,
        ...counts,
      });
      assertNoneBroken(run, broken);
    });
  }

  /** Faults in the source, the run that shows each, and the expected message. */
  const faults: readonly { name: string; edits: readonly Edit[]; workload?: Workload; message: RegExp }[] = [
    {
      name: "synchronous=NORMAL",
      edits: [
        ["lib/storage/sqlite/open.ts", "synchronous = FULL", "synchronous = NORMAL"],
        ["lib/storage/sqlite/open.ts", "!== 2", "!== 1"],
      ],
      message: /^lost: a confirmed write/,
    },
    {
      name: "a response before the COMMIT",
      edits: [
        ["lib/storage/sqlite/transaction-runner.ts", "this.#commit.run();", "setImmediate(() => this.#commit.run());"],
      ],
      // With more writes, a client could get an error when it reads its own write.
      workload: [{ servers: 1, writes: 1, end: "stopped" }],
      message: /^lost: a confirmed write/,
    },
    {
      name: "a commit of a killed program, read and never synced",
      edits: [["lib/storage/sqlite/open.ts", "      flushWal(database);\n", ""]],
      workload: [
        { servers: 1, writes: 1, end: "killed in a commit" },
        { servers: 1, writes: 0, end: "stopped" },
      ],
      message: /^lost: a confirmed write/,
    },
    {
      name: "a data folder whose name isn't synced",
      edits: [
        [
          "lib/storage/sqlite/file-system.ts",
          "for (const created of mkdirPrivate(folder)) fsyncParent(created);",
          "mkdirPrivate(folder);",
        ],
      ],
      message: /^lost: a tenant that the program serves/,
    },
    {
      name: "a database that gets its name before its creation",
      edits: [
        ["lib/storage/sqlite/open.ts", "    fs.linkSync(draft, file);\n", ""],
        [
          "lib/storage/sqlite/open.ts",
          "    const created = openConfigured(new Database(draft)",
          "    fs.linkSync(draft, file);\n    const created = openConfigured(new Database(draft)",
        ],
      ],
      message: /is empty|can't be (?:read|opened)|unknown schema/,
    },
  ];

  for (const { name, edits, workload = short, message } of faults) {
    test(`${name} is detected`, { timeout }, async (t) => {
      const run = await recordRun(t, workload, { edits });
      let [tried, found] = [0, undefined as string | undefined];
      for (; found === undefined && tried < 2_000; tried += 20) {
        const broken = await losePower(run, { count: 20, from: tried });
        found = broken.find(({ reason }) => message.test(reason))?.description;
      }
      assert.ok(found !== undefined, `${tried} power losses don't show the fault`);
      t.diagnostic(found);
      figures(t, "power-loss", { "power losses until detection": tried });
    });
  }
});
