import assert from "node:assert/strict";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import Database from "better-sqlite3";
import { databaseFile } from "../../../bin/database/data-folder.ts";
import { checkAfterLoss, secretsOf } from "./check.ts";
import { buildHistory } from "./history.ts";
import { dataFolder, skipReason } from "./machine.ts";
import { recordRun } from "./run.ts";

const skip = skipReason() ?? false;

/** Selects the first unchanged task. It has the timestamp of its idempotency record. */
const oldest = `FROM tasks JOIN idempotency_records i USING (tenant_id, updated_at) ORDER BY updated_at LIMIT 1`;

/** SQL that damages a database, and the expected message of the check. */
const damages: Readonly<Record<string, readonly [sql: string, message: RegExp]>> = {
  "a write without its response": [
    "DELETE FROM idempotency_records WHERE rowid = (SELECT min(rowid) FROM idempotency_records)",
    /^the stored responses/,
  ],
  "a response without its write": [`DELETE FROM tasks WHERE id = (SELECT tasks.id ${oldest})`, /^the records/],
  "a response with other bytes": ["UPDATE idempotency_records SET body = body || ' '", /^the stored responses/],
  "neither the write nor its response": [
    `CREATE TEMP TABLE gone AS SELECT tasks.id AS task, i.id AS response ${oldest};
     DELETE FROM tasks WHERE id IN (SELECT task FROM gone);
     DELETE FROM idempotency_records WHERE id IN (SELECT response FROM gone)`,
    /^the records/,
  ],
  "a record with a value that no client wrote": [
    `UPDATE tasks SET priority = 'high', json = replace(json, '"medium"', '"high"')`,
    /^the records/,
  ],
  "a record with stale JSON": ["UPDATE tasks SET priority = 'high'", /^the stored JSON/],
  "an opportunity without its links": ["DELETE FROM opportunity_contacts", /^the stored JSON/],
  "links with the timestamps of another version": [
    "UPDATE opportunity_contacts SET updated_at = updated_at - 1",
    /^a link that differs from its opportunity/,
  ],
  "a tenant clock behind its records": [
    "UPDATE tenant_clocks SET last_at = last_at - 1",
    /^a tenant clock that differs/,
  ],
  "a reference to a missing record": [
    "PRAGMA foreign_keys = OFF; DELETE FROM users WHERE role = 'member'",
    /^a reference to/,
  ],
  "another secret for cursors": ["UPDATE settings SET value = randomblob(32)", /^lost: the secret that signs cursors/],
};

suite("the check after a power loss", { skip }, () => {
  test("finds no problem in a correct state and every problem in a broken one", { timeout: 300_000 }, async (t) => {
    const run = await recordRun(t, [{ servers: 1, writes: 12, end: "stopped" }]);
    const [history, secrets] = [buildHistory(run.journal, run.events), secretsOf(run.machine.root)];
    const root = join(run.folder, "damaged");
    const check = async (damage: (file: string) => void): Promise<string> => {
      cpSync(run.machine.root, root, { recursive: true });
      damage(databaseFile(dataFolder(root)));
      const afterRun = { position: Number.POSITIVE_INFINITY, serving: true };
      const message = await checkAfterLoss(root, history, afterRun, secrets).catch((error: Error) => error.message);
      rmSync(root, { recursive: true });
      return message ?? "nothing";
    };
    assert.equal(await check(() => {}), "nothing");
    const withSql = (sql: string) => (file: string) => {
      const database = new Database(file);
      database.exec(sql);
      database.close();
    };
    for (const [name, [sql, message]] of Object.entries(damages))
      assert.match(await check(withSql(sql)), message, name);
    assert.match(await check((file) => rmSync(join(file, "../admin.secret"))), /^lost: the secret of a printed token/);
    assert.match(await check((file) => rmSync(file)), /^lost: a tenant/);
  });
});
