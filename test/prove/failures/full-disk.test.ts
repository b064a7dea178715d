import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { DatabaseError, sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { serving } from "../../support/program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { figures, seededRandom, size } from "../size.ts";
import { tenantWithKeys, writeTenantFile } from "./many-keys.ts";
import { fill, hasCommand, smallDisk } from "./small-disk.ts";
import { Ledger } from "./task-ledger.ts";

const harness = "full-disk";
const timeout = size(120_000, 1_200_000);
const manyKeys = tenantWithKeys(40);

/** Starts the program on this disk, with a ledger of the requests. */
async function served(t: TestContext, disk: string) {
  const folder = temporaryFolder(t);
  const data = join(disk, "data");
  const crowded = writeTenantFile(join(folder, "crowd.json"), manyKeys);
  // The disk must fill up completely, so the program may not stop before.
  const run = () => serving(t, "--data", data, "--fixtures", crowded, "--min-free-mb", "0");
  const program = await run();
  const ledger = new Ledger(program.greeting.baseUrl, manyKeys.keys);
  /** Stops the program, starts it again and checks the tasks. */
  const restart = async (): Promise<void> => {
    program.child.kill("SIGTERM");
    assert.equal((await program.ended).code, 0);
    ledger.baseUrl = (await run()).greeting.baseUrl;
    await ledger.assertAllCreated();
  };
  return { program, ledger, restart };
}

/** Creates tasks until one is rejected. The WAL may have space for some. */
async function createUntilRejected(ledger: Ledger): Promise<void> {
  for (let count = 0; count < 1_000; count++) if ((await ledger.make(10_000)).status === 503) return;
  assert.fail("a thousand tasks of 10 KB were created on a full disk");
}

test("on a full disk nothing is lost and reads work, and writes work again once there is space", {
  timeout,
}, async (t) => {
  // Each round uses some megabytes, the reserve of the WAL.
  const disk = smallDisk(t, size(65_536, 1_048_576));
  if (disk === undefined) return;
  const { ledger, restart } = await served(t, disk);
  const rounds = size(3, 60);
  for (let round = 0; round < rounds; round++) {
    await ledger.make();
    const free = fill(disk);
    await createUntilRejected(ledger);
    for (let index = 0; index < 10; index++) await ledger.make(10_000);
    assert.equal((await ledger.read("/tasks?limit=1")).status, 200);
    await ledger.assertStored();
    free();
    const waiting = ledger.size - ledger.acknowledged;
    assert.equal(await ledger.retry(), waiting, "rejected tasks were not created after space was freed");
  }
  await restart();
  figures(t, harness, { "times full": rounds, tasks: ledger.size, "responses 503": ledger.statuses.get(503) ?? 0 });
});

test("a disk that fills and empties under load loses and duplicates nothing", { timeout }, async (t) => {
  const disk = smallDisk(t, 65_536);
  if (disk === undefined) return;
  const { ledger, restart } = await served(t, disk);
  const random = seededRandom();
  const turns = size(6, 100);
  let isDone = false;
  const clients = Array.from({ length: 6 }, async () => {
    while (!isDone) {
      await ledger.make(Math.floor(random() * 1_000));
      await pause(size(10, 40));
    }
  });
  for (let turn = 0; turn < turns; turn++) {
    const free = fill(disk, random() < 0.5 ? 0 : Math.floor(random() * 200));
    await pause(100 + random() * 300);
    free();
    await pause(random() * 300);
  }
  isDone = true;
  await Promise.all(clients);
  await ledger.retry();
  await restart();
  figures(t, harness, { fillings: turns, tasks: ledger.size, "responses 503": ledger.statuses.get(503) ?? 0 });
});

test("a full disk leaves no partial new database", { timeout }, async (t) => {
  const disk = smallDisk(t, 2_048);
  if (disk === undefined) return;
  const [steps, counts] = [size(12, 300), { created: 0, rejected: 0 }];
  for (let step = 0; step < steps; step++) {
    const file = join(disk, `data-${step}`, "crm.db");
    const free = fill(disk, Math.floor((step * 1_300) / steps));
    const open = () => sqliteStorage({ file });
    let storage: ReturnType<typeof open> | undefined;
    try {
      storage = open();
      counts.created++;
    } catch (error) {
      counts.rejected++;
      assert.ok(error instanceof DatabaseError || (error as NodeJS.ErrnoException).code === "ENOSPC", `${error}`);
    }
    await storage?.close();
    free();
    await open().close();
    const freeAgain = fill(disk);
    assert.throws(open, { name: "DatabaseError", message: /^\S+ can't be opened: .* Check the free space and/ });
    freeAgain();
    await open().close();
    fs.rmSync(join(disk, `data-${step}`), { recursive: true });
  }
  assert.ok(counts.created > 0 && counts.rejected > 0, JSON.stringify(counts));
  figures(t, harness, { "sizes of free space": steps, ...counts });
});

test("at the file size limit nothing is lost and reads work, and writes work again after it is raised", {
  timeout,
}, async (t) => {
  if (!hasCommand(t, "prlimit", "--version")) return;
  const folder = temporaryFolder(t);
  const { program, ledger, restart } = await served(t, folder);
  const limit = (bytes: number | "unlimited"): void => {
    const { status } = spawnSync("prlimit", ["--pid", `${program.greeting.pid}`, `--fsize=${bytes}:unlimited`]);
    assert.equal(status, 0);
  };
  const rounds = size(3, 40);
  for (let round = 0; round < rounds; round++) {
    await ledger.make();
    limit(fs.statSync(join(folder, "data", "crm.db-wal")).size + 50_000);
    await createUntilRejected(ledger);
    assert.equal((await ledger.read("/tasks?limit=1")).status, 200);
    await ledger.assertStored();
    limit("unlimited");
    const waiting = ledger.size - ledger.acknowledged;
    assert.equal(await ledger.retry(), waiting);
  }
  await restart();
  figures(t, harness, { limits: rounds, tasks: ledger.size, "responses 503": ledger.statuses.get(503) ?? 0 });
});
