import assert from "node:assert/strict";
import { test } from "node:test";
import { freshAddress } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";
import { start } from "../support/program.ts";

test("postgres distribute without Citus says what is missing", { skip: noPostgres, timeout: 60_000 }, async (t) => {
  const { code, stdout, stderr } = await start(t, "postgres", "distribute", "--database", await freshAddress()).ended;
  const missing = "The Citus extension is missing. Install it and run CREATE EXTENSION citus.\n";
  assert.deepEqual([code, stdout, stderr.replace(/.*: /, "")], [1, "", missing]);
});

test("postgres distribute --dry-run prints one transaction, and without a database it is a usage error", async (t) => {
  const { code, stdout } = await start(t, "postgres", "distribute", "--dry-run").ended;
  assert.deepEqual([code, stdout.match(/create_distributed_table\('tasks'/g)?.length], [0, 1]);
  const lines = stdout.trim().split("\n");
  assert.deepEqual([lines[0], lines.at(-1)], ["BEGIN;", "COMMIT;"]);
  assert.equal((await start(t, "postgres", "distribute").ended).code, 2);
});
