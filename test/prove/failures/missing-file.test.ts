import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { serving } from "../../support/program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { figures, seededRandom, size } from "../size.ts";
import { tenantWithKeys, writeTenantFile } from "./many-keys.ts";
import { failedStart } from "./small-disk.ts";
import { Ledger } from "./task-ledger.ts";

const harness = "missing-file";
const timeout = size(120_000, 1_200_000);
const manyKeys = tenantWithKeys(60);

async function served(t: TestContext) {
  const folder = temporaryFolder(t);
  const data = join(folder, "data");
  const fixtures = writeTenantFile(join(folder, "crowd.json"), manyKeys);
  const run = (...more: string[]) => serving(t, "--data", data, ...more);
  const program = await run("--fixtures", fixtures);
  return {
    data,
    file: join(data, "crm.db"),
    run,
    program,
    ledger: new Ledger(program.greeting.baseUrl, manyKeys.keys),
  };
}

/** Ways to remove a database. Each returns a function that restores it. */
const ways: Readonly<Record<string, (file: string) => () => void>> = {
  moved: (file) => {
    fs.renameSync(file, `${file}.away`);
    return () => fs.renameSync(`${file}.away`, file);
  },
  removed: (file) => {
    fs.linkSync(file, `${file}.saved`);
    fs.rmSync(file);
    return () => fs.renameSync(`${file}.saved`, file);
  },
  "with its folder": (file) => {
    fs.renameSync(dirname(file), `${dirname(file)}.away`);
    return () => fs.renameSync(`${dirname(file)}.away`, dirname(file));
  },
};

test("a database that disappears and comes back loses nothing and needs no restart", {
  timeout,
}, async (t) => {
  const { file, run, program, ledger } = await served(t);
  const random = seededRandom();
  let isDone = false;
  const clients = Array.from({ length: 4 }, async () => {
    while (!isDone) await ledger.make().then(() => pause(size(10, 40)));
  });
  const turns = size(6, 200);
  for (let turn = 0; turn < turns; turn++) {
    const way = Object.values(ways)[turn % 3];
    const putBack = way?.(file);
    await pause(random() * 200);
    assert.equal((await ledger.make()).status, 503);
    assert.equal((await ledger.read("/tasks?limit=1")).status, 200);
    putBack?.();
    assert.equal((await ledger.make()).status, 201);
  }
  isDone = true;
  await Promise.all(clients);
  await ledger.retry();
  program.child.kill("SIGKILL");
  await program.ended;
  ledger.baseUrl = (await run()).greeting.baseUrl;
  await ledger.assertAllCreated();
  figures(t, harness, { disappearances: turns, tasks: ledger.size, "responses 503": ledger.statuses.get(503) ?? 0 });
});

test("after a copy replaced a removed database, writes fail until a restart and succeed after it", {
  timeout,
}, async (t) => {
  const { data, run, program, ledger } = await served(t);
  for (let index = 0; index < 5; index++) await ledger.make();
  const copy = `${data}.copy`;
  const database = new Database(join(data, "crm.db"));
  fs.mkdirSync(copy);
  database.prepare("VACUUM INTO ?").run(join(copy, "crm.db"));
  database.close();
  fs.rmSync(data, { recursive: true });
  assert.equal((await ledger.make()).status, 503);
  fs.renameSync(copy, data);
  assert.equal(await ledger.retry(), 0);
  program.child.kill("SIGTERM");
  assert.equal((await program.ended).code, 0);
  ledger.baseUrl = (await run()).greeting.baseUrl;
  assert.equal(await ledger.retry(), 1);
  await ledger.assertAllCreated();
});

const page = 4096;

/** Damages that the program can find when it starts after a crash. */
const damages: Readonly<Record<string, (file: string) => void>> = {
  "its database is gone": (file) => fs.rmSync(file),
  "its database is empty": (file) => fs.writeFileSync(file, ""),
  "its database was cut off": (file) => fs.truncateSync(file, 20 * page),
  "its database is a text": (file) => fs.writeFileSync(file, "Dear diary,\n".repeat(10_000)),
  "its database has a page of garbage": (file) => {
    const descriptor = fs.openSync(file, "r+");
    fs.writeSync(descriptor, Buffer.alloc(page, 0xa7), 0, page, 30 * page);
    fs.closeSync(descriptor);
  },
  "its database is another program's": (file) => sql(file, "PRAGMA application_id = 7"),
  "its database is a newer program's": (file) => sql(file, "PRAGMA user_version = 99"),
};

/** Changes the database in its WAL, as a program that then crashes. */
function sql(file: string, statement: string): void {
  const [database, other] = [new Database(file), new Database(file, { readonly: true })];
  database.exec(statement);
  other.pragma("user_version");
  database.close();
  other.close();
}

function digests(data: string): Record<string, string> {
  const names = ["crm.db", "crm.db-wal"].filter((name) => fs.existsSync(join(data, name)));
  const digest = (name: string) =>
    createHash("sha256")
      .update(fs.readFileSync(join(data, name)))
      .digest("hex");
  return Object.fromEntries(names.map((name) => [name, digest(name)]));
}

test("after a crash, a damaged database is rejected unchanged in one line, and a repaired one starts", {
  timeout,
}, async (t) => {
  const { data, file, run, program, ledger } = await served(t);
  for (let index = 0; index < 20; index++) await ledger.make();
  const other = new Database(file);
  other.pragma("wal_checkpoint(TRUNCATE)");
  other.close();
  for (let index = 0; index < 20; index++) await ledger.make();
  program.child.kill("SIGKILL");
  await program.ended;
  const saved = `${data}.saved`;
  fs.cpSync(data, saved, { recursive: true });
  for (const [what, damage] of Object.entries(damages)) {
    damage(file);
    const before = digests(data);
    const line = await failedStart(t, [], "--data", data);
    assert.match(line, new RegExp(`^crm-integrations: ${file} `), what);
    assert.deepEqual(digests(data), before, what);
    fs.rmSync(data, { recursive: true });
    fs.cpSync(saved, data, { recursive: true });
  }
  ledger.baseUrl = (await run()).greeting.baseUrl;
  await ledger.assertAllCreated();
  figures(t, harness, { damages: Object.keys(damages).length, tasks: ledger.size });
});
