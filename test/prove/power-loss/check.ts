import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { databaseFile, folderAdminAuth } from "../../../bin/database/data-folder.ts";
import { type Api, createApi, type Storage, systemClock, uuidV7 } from "../../../lib/index.ts";
import { tables } from "../../../lib/storage/sql/table.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { findStaleJson } from "../../../lib/storage/sqlite/schema.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { send } from "../../support/harness.ts";
import { tenantFile } from "../../support/tenants.ts";
import { lists, type RecordJson } from "./client.ts";
import { type ConfirmedWrite, type History, recordsAfter } from "./history.ts";
import { dataFolder } from "./machine.ts";

/** Number of confirmed writes per tenant, the latest ones, that are retried with their idempotency keys. */
const maxReplays = 8;

/**
 * The time of a power loss: everything confirmed before this event must be there. `serving`: the program had started.
 */
export type LossTime = { readonly position: number; readonly serving: boolean };

/** The secrets that sign admin tokens and cursors. */
export type Secrets = { readonly admin: Buffer; readonly cursor: Buffer };

/** Reads the secrets in the data folder of this machine. */
export function secretsOf(root: string): Secrets {
  const database = new Database(databaseFile(dataFolder(root)));
  const cursor = database.prepare("SELECT value FROM settings WHERE name = 'cursor_secret'").pluck().get() as Buffer;
  database.close();
  return { admin: readFileSync(join(dataFolder(root), "admin.secret")), cursor };
}

/**
 * Opens the data folder after a power loss, as the program does.
 * @param secrets the secrets at the end of the run
 * @throws AssertionError if a promise is broken
 */
export async function checkAfterLoss(
  root: string,
  history: History,
  { position, serving }: LossTime,
  secrets: Secrets,
): Promise<void> {
  const file = databaseFile(dataFolder(root));
  const storage = sqliteStorage({ file });
  const api = createApi({ storage });
  try {
    const tools = { clock: systemClock, newId: () => uuidV7(Date.now()) };
    for (const tenant of history.tenants) {
      const { created } = await loadTenantFile(storage, tenantFile(tenant), tools);
      assert.ok(!created || !serving, "lost: a tenant that the program serves");
    }
    checkAdminSecret(root, history, position, secrets.admin);
    const sameCursors = secrets.cursor.equals(await storage.cursorSecret());
    assert.ok(sameCursors || position <= history.servingSince, "lost: the secret that signs cursors");
    checkFile(file);
    for (const [index] of history.tenants.entries()) await checkTenant(api, storage, history, index, position);
  } finally {
    await api.close();
  }
}

function checkAdminSecret(root: string, { tokenPrintedAt }: History, position: number, secret: Buffer): void {
  const file = join(dataFolder(root), "admin.secret");
  const isSame = existsSync(file) && readFileSync(file).equals(secret);
  assert.ok(isSame || position <= tokenPrintedAt, "lost: the secret of a printed token");
  folderAdminAuth(dataFolder(root));
}

const timestamps = Object.values(tables).map(({ name }) => `SELECT tenant_id, updated_at FROM ${name}`);
/** SQL queries that return no rows if the database is consistent. */
const consistencyQueries: Readonly<Record<string, string>> = {
  "the integrity check of SQLite": "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
  "a reference to a missing record": "SELECT * FROM pragma_foreign_key_check",
  "a link that differs from its opportunity": `SELECT l.* FROM opportunity_contacts l LEFT JOIN opportunities o
    ON o.tenant_id = l.tenant_id AND o.id = l.opportunity_id
    WHERE o.id IS NULL OR o.updated_at <> l.updated_at OR o.archived <> l.archived`,
  "a tenant clock that differs from the last write": `SELECT tenant_id, max(updated_at) AS last_write, last_at
    FROM (${timestamps.join(" UNION ALL ")}) LEFT JOIN tenant_clocks USING (tenant_id)
    GROUP BY tenant_id HAVING last_at IS NOT last_write`,
};

/** Asserts that the database file is consistent. */
function checkFile(file: string): void {
  const database = new Database(file, { readonly: true });
  for (const [name, sql] of Object.entries(consistencyQueries)) assert.deepEqual(database.prepare(sql).all(), [], name);
  assert.deepEqual(findStaleJson(database), [], "the stored JSON");
  database.close();
}

/** Asserts that the tenant has exactly the writes up to some point of the history, and at least the confirmed ones. */
async function checkTenant(api: Api, storage: Storage, history: History, index: number, position: number) {
  const tenant = history.tenants[index];
  const [initial, writes] = [history.initialRecords[index], history.writesByTenant[index]];
  assert.ok(tenant && initial && writes);
  const records = await recordsOf(api, tenant.key);
  const times = records.map(({ updatedAt }) => updatedAt).sort();
  const last = times.at(-1) ?? "";
  const stored = writes.filter(({ record }) => record.updatedAt <= last);
  const missing = writes.filter(({ record }) => record.updatedAt > last);
  const lost = missing.filter(({ confirmedAt }) => confirmedAt < position);
  assert.deepEqual(lost.map(nameOf), [], "lost: a confirmed write");
  assert.deepEqual(differences(records, recordsAfter(initial, stored)), [], "the records");
  const idempotencyRecords = await storage.list(tenant.id, "idempotencyRecord", { includeArchived: true });
  const responses = idempotencyRecords.map(({ id, updatedAt, status, body, location }) => {
    return { id, updatedAt, status, body, location };
  });
  assert.deepEqual(
    differences(
      responses,
      stored.flatMap((write) => storedResponseOf(write, tenant.integration)),
    ),
    [],
    "the stored responses",
  );
  const confirmed = stored
    .filter((write) => write.key !== undefined && write.confirmedAt < position)
    .slice(-maxReplays);
  for (const write of confirmed) await checkReplay(api, tenant.key, write);
  await checkRetry(api, tenant.key, missing, last);
}

function nameOf({ method, path, requests, status }: ConfirmedWrite): string {
  return `${method} ${path} (${requests[0]}) → ${status}`;
}

function storedResponseOf(
  { key, record, status, text, location }: ConfirmedWrite,
  integration: string,
): { id: string }[] {
  const path = location === null ? null : `/${location}`;
  const response = { updatedAt: Date.parse(record.updatedAt), status, body: text, location: path };
  return key === undefined ? [] : [{ id: `${integration}:${key}`, ...response }];
}

/** Returns the rows that only one of the two lists has, each in at most 200 characters. */
function differences(actual: readonly { id: string }[], expected: readonly { id: string }[]): string[] {
  const texts = (rows: readonly object[]) => new Set(rows.map((row) => JSON.stringify(row)));
  const [actualTexts, expectedTexts] = [texts(actual), texts(expected)];
  const extra = [...actualTexts].filter((text) => !expectedTexts.has(text)).map((text) => `actual: ${text}`);
  const missing = [...expectedTexts].filter((text) => !actualTexts.has(text)).map((text) => `expected: ${text}`);
  return [...extra, ...missing].map((text) => text.slice(0, 200));
}

/** Reads all records of a tenant. Asserts that each list is in order. */
async function recordsOf(api: Api, key: string): Promise<RecordJson[]> {
  const all: RecordJson[] = [];
  for (const list of lists) {
    const records: RecordJson[] = [];
    for (let more = "?limit=200&includeArchived=true"; more !== ""; ) {
      const { body, text, status } = await send(api, "GET", `${list}${more}`, { key });
      assert.equal(status, 200, text);
      const { data, nextCursor } = body as { data: RecordJson[]; nextCursor: string | null };
      records.push(...data);
      more = nextCursor === null ? "" : `?limit=200&cursor=${nextCursor}`;
    }
    assert.deepEqual(records, recordsAfter(records, []), `the order of ${list}`);
    all.push(...records);
  }
  return recordsAfter(all, []);
}

/** Asserts that a retry of a stored write is a replay of its response. */
async function checkReplay(api: Api, key: string, write: ConfirmedWrite): Promise<void> {
  const { status, text, location } = write;
  const replay = await sendWrite(api, key, write);
  assert.deepEqual(replay, { status, text, location, replayed: "true" }, `the replay of ${nameOf(write)}`);
}

/** Asserts that a retry of a lost write creates it once, later than every stored record. */
async function checkRetry(api: Api, key: string, missing: readonly ConfirmedWrite[], last: string): Promise<void> {
  const [write] = missing;
  if (write?.key === undefined) return;
  const first = await sendWrite(api, key, write);
  assert.deepEqual([first.status, first.replayed], [write.status, null], `${nameOf(write)} again: ${first.text}`);
  assert.ok(JSON.parse(first.text).data.updatedAt > last, "the tenant clock went back");
  assert.deepEqual(await sendWrite(api, key, write), { ...first, replayed: "true" });
}

async function sendWrite(api: Api, apiKey: string, { method, path, key, body }: ConfirmedWrite) {
  const headers = key === undefined ? {} : { "idempotency-key": key };
  const { status, text, headers: received } = await send(api, method, path, { key: apiKey, headers, raw: body ?? "" });
  return { status, text, location: received.get("location"), replayed: received.get("idempotent-replayed") };
}
