import assert from "node:assert/strict";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import Database from "better-sqlite3";
import { databaseFile } from "../../bin/database/data-folder.ts";
import { checkAfterLoss, secretsOf } from "./power-loss-check.ts";
import { dataOf, unable } from "./power-loss-crm.ts";
import { historyOf } from "./power-loss-history.ts";
import { record } from "./power-loss-run.ts";

const skip = unable() ?? false;

/** The first task that is still as it was made: its instant is also that of the answer that was kept for it. */
const oldest = `FROM tasks JOIN idempotency_records i USING (tenant_id, updated_at) ORDER BY updated_at LIMIT 1`;

/** What may be wrong with a database, as SQL, and what the check says to it. */
const damages: Readonly<Record<string, readonly [sql: string, said: RegExp]>> = {
  "a write without its answer": [
    "DELETE FROM idempotency_records WHERE rowid = (SELECT min(rowid) FROM idempotency_records)",
    /^the answers kept/,
  ],
  "an answer without its write": [`DELETE FROM tasks WHERE id = (SELECT tasks.id ${oldest})`, /^the records/],
  "an answer in other bytes": ["UPDATE idempotency_records SET body = body || ' '", /^the answers kept/],
  "neither the write nor its answer": [
    `CREATE TEMP TABLE gone AS SELECT tasks.id AS task, i.id AS answer ${oldest};
     DELETE FROM tasks WHERE id IN (SELECT task FROM gone);
     DELETE FROM idempotency_records WHERE id IN (SELECT answer FROM gone)`,
    /^the records/,
  ],
  "a record that nobody wrote so": [
    `UPDATE tasks SET priority = 'high', json = replace(json, '"medium"', '"high"')`,
    /^the records/,
  ],
  "a record that lists show otherwise": ["UPDATE tasks SET priority = 'high'", /^what lists show/],
  "an opportunity without its links": ["DELETE FROM opportunity_contacts", /^what lists show/],
  "links with the stamps of another version": [
    "UPDATE opportunity_contacts SET updated_at = updated_at - 1",
    /^a link that is not as its opportunity/,
  ],
  "a clock behind its records": ["UPDATE tenant_clocks SET last_at = last_at - 1", /^a clock that is not at/],
  "a reference to nothing": ["PRAGMA foreign_keys = OFF; DELETE FROM users WHERE role = 'member'", /^a reference to/],
  "another secret for cursors": ["UPDATE settings SET value = randomblob(32)", /^lost: the secret that signs cursors/],
};

suite("the check after a power loss", { skip }, () => {
  test("finds no problem in a correct state and every problem in a broken one", { timeout: 300_000 }, async (t) => {
    const run = await record(t, [{ servers: 1, writes: 12, end: "stopped" }]);
    const [history, secrets] = [historyOf(run.journal, run.events), secretsOf(run.machine.root)];
    const root = join(run.folder, "damaged");
    const check = async (damage: (file: string) => void): Promise<string> => {
      cpSync(run.machine.root, root, { recursive: true });
      damage(databaseFile(dataOf(root)));
      const moment = { place: Number.POSITIVE_INFINITY, greeted: true };
      const outcome = await checkAfterLoss(root, history, moment, secrets).catch((error: Error) => error.message);
      rmSync(root, { recursive: true });
      return outcome ?? "nothing";
    };
    assert.equal(await check(() => {}), "nothing");
    const withSql = (sql: string) => (file: string) => {
      const database = new Database(file);
      database.exec(sql);
      database.close();
    };
    for (const [what, [sql, said]] of Object.entries(damages)) assert.match(await check(withSql(sql)), said, what);
    assert.match(await check((file) => rmSync(join(file, "../admin.secret"))), /^lost: the secret of a token/);
    assert.match(await check((file) => rmSync(file)), /^lost: a tenant/);
  });
});
