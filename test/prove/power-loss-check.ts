import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { databaseFile, folderAdminAuth } from "../../bin/database/data-folder.ts";
import { type Api, createApi, type Storage, systemClock } from "../../lib/index.ts";
import { tables } from "../../lib/storage/sql/table.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { findStaleJson } from "../../lib/storage/sqlite/schema.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { send } from "../support/harness.ts";
import { tenantFile } from "../support/tenants.ts";
import { lists, type Shown } from "./power-loss-client.ts";
import { dataOf } from "./power-loss-crm.ts";
import { type Effect, type History, recordsAfter } from "./power-loss-history.ts";

/** How many of the latest promised writes of a tenant are asked for again under their keys. */
const replaysMax = 8;

/** What counts: all that was promised before this event, and whether the program had said that it serves. */
export type Moment = { readonly place: number; readonly greeted: boolean };

/** What signs administrators' tokens and what signs cursors. */
export type Secrets = { readonly admin: Buffer; readonly cursor: Buffer };

/** The secrets of the data folder of this machine. */
export function secretsOf(root: string): Secrets {
  const database = new Database(databaseFile(dataOf(root)));
  const cursor = database.prepare("SELECT value FROM settings WHERE name = 'cursor_secret'").pluck().get() as Buffer;
  database.close();
  return { admin: readFileSync(join(dataOf(root), "admin.secret")), cursor };
}

/**
 * Starts on what a power loss left, as the program does, and throws where a promise is broken.
 * @param secrets as they were in the end
 */
export async function checkAfterLoss(
  root: string,
  history: History,
  { place, greeted }: Moment,
  secrets: Secrets,
): Promise<void> {
  const file = databaseFile(dataOf(root));
  const storage = sqliteStorage({ file });
  const api = createApi({ storage });
  try {
    const tools = { clock: systemClock, newId: api.runtime.context.newId };
    for (const tenant of history.tenants) {
      const { created } = await loadTenantFile(storage, tenantFile(tenant), tools);
      assert.ok(!created || !greeted, "lost: a tenant that the program had said it serves");
    }
    checkAdminSecret(root, history, place, secrets.admin);
    const sameCursors = secrets.cursor.equals(await storage.cursorSecret());
    assert.ok(sameCursors || place <= history.greeted, "lost: the secret that signs cursors");
    checkFile(file);
    for (const [index] of history.tenants.entries()) await checkTenant(api, storage, history, index, place);
  } finally {
    await api.close();
  }
}

function checkAdminSecret(root: string, { tokenPrinted }: History, place: number, secret: Buffer): void {
  const file = join(dataOf(root), "admin.secret");
  const kept = existsSync(file) && readFileSync(file).equals(secret);
  assert.ok(kept || place <= tokenPrinted, "lost: the secret of a token that was printed");
  folderAdminAuth(dataOf(root));
}

const instants = Object.values(tables).map(({ name }) => `SELECT tenant_id, updated_at FROM ${name}`);
const questions: Readonly<Record<string, string>> = {
  "the file's own check": "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
  "a reference to nothing": "SELECT * FROM pragma_foreign_key_check",
  "a link that is not as its opportunity": `SELECT l.* FROM opportunity_contacts l LEFT JOIN opportunities o
    ON o.tenant_id = l.tenant_id AND o.id = l.opportunity_id
    WHERE o.id IS NULL OR o.updated_at <> l.updated_at OR o.archived <> l.archived`,
  "a clock that is not at its tenant's last write": `SELECT tenant_id, max(updated_at) AS last_write, last_at
    FROM (${instants.join(" UNION ALL ")}) LEFT JOIN tenant_clocks USING (tenant_id)
    GROUP BY tenant_id HAVING last_at IS NOT last_write`,
};

/** What can be asked of the file alone. */
function checkFile(file: string): void {
  const database = new Database(file, { readonly: true });
  for (const [what, sql] of Object.entries(questions)) assert.deepEqual(database.prepare(sql).all(), [], what);
  assert.deepEqual(findStaleJson(database), [], "what lists show");
  database.close();
}

/** What is there is the history up to some moment, whole, and that moment is not before the last promise. */
async function checkTenant(api: Api, storage: Storage, history: History, index: number, place: number) {
  const tenant = history.tenants[index];
  const [begun, effects] = [history.begun[index], history.effects[index]];
  assert.ok(tenant && begun && effects);
  const records = await recordsOf(api, tenant.key);
  const last = records.reduce((latest, { updatedAt }) => (updatedAt > latest ? updatedAt : latest), "");
  const [there, missing] = [0, 1].map((side) =>
    effects.filter(({ shown }) => (shown.updatedAt <= last ? 0 : 1) === side),
  ) as [Effect[], Effect[]];
  const lost = missing.filter(({ promised }) => promised < place);
  assert.deepEqual(lost.map(nameOf), [], "lost: what was answered");
  assert.deepEqual(different(records, recordsAfter(begun, there)), [], "the records");
  const kept = await storage.list(tenant.id, "idempotencyRecord", { includeArchived: true });
  const answers = kept.map(({ id, updatedAt, status, body, location }) => ({ id, updatedAt, status, body, location }));
  assert.deepEqual(
    different(
      answers,
      there.flatMap((effect) => keptOf(effect, tenant.integration)),
    ),
    [],
    "the answers kept",
  );
  const promised = there.filter((effect) => effect.key !== undefined && effect.promised < place).slice(-replaysMax);
  for (const effect of promised) await checkReplay(api, tenant.key, effect);
  await checkRetry(api, tenant.key, missing, last);
}

function nameOf({ method, path, requests, status }: Effect): string {
  return `${method} ${path} (${requests[0]}) was answered ${status}`;
}

function keptOf({ key, shown, status, text, location }: Effect, integration: string): { id: string }[] {
  const path = location === null ? null : `/${location}`;
  const answer = { updatedAt: Date.parse(shown.updatedAt), status, body: text, location: path };
  return key === undefined ? [] : [{ id: `${integration}:${key}`, ...answer }];
}

/** What one has and the other has not, shortened. */
function different(actual: readonly { id: string }[], expected: readonly { id: string }[]): string[] {
  const texts = (rows: readonly object[]) => new Set(rows.map((row) => JSON.stringify(row)));
  const [there, promised] = [texts(actual), texts(expected)];
  const extra = [...there].filter((text) => !promised.has(text)).map((text) => `there: ${text}`);
  const missing = [...promised].filter((text) => !there.has(text)).map((text) => `expected: ${text}`);
  return [...extra, ...missing].map((text) => text.slice(0, 200));
}

/** A walk through everything; the lists are each in order. */
async function recordsOf(api: Api, key: string): Promise<Shown[]> {
  const all: Shown[] = [];
  for (const list of lists) {
    const records: Shown[] = [];
    for (let more = "?limit=200&includeArchived=true"; more !== ""; ) {
      const { body, text, status } = await send(api, "GET", `${list}${more}`, { key });
      assert.equal(status, 200, text);
      const { data, nextCursor } = body as { data: Shown[]; nextCursor: string | null };
      records.push(...data);
      more = nextCursor === null ? "" : `?limit=200&cursor=${nextCursor}`;
    }
    assert.deepEqual(records, recordsAfter(records, []), `the order of ${list}`);
    all.push(...records);
  }
  return recordsAfter(all, []);
}

/** Asked again under its key, a write is answered as it was. */
async function checkReplay(api: Api, key: string, effect: Effect): Promise<void> {
  const { status, text, location } = effect;
  const again = await ask(api, key, effect);
  assert.deepEqual(again, { status, text, location, replayed: "true" }, `the replay of ${nameOf(effect)}`);
}

/** What got no answer is sent again: it happens, once, and after everything that was there. */
async function checkRetry(api: Api, key: string, missing: readonly Effect[], last: string): Promise<void> {
  const [effect] = missing;
  if (effect?.key === undefined) return;
  const first = await ask(api, key, effect);
  assert.deepEqual([first.status, first.replayed], [effect.status, null], `${nameOf(effect)} anew: ${first.text}`);
  assert.ok(JSON.parse(first.text).data.updatedAt > last, "the clock went back");
  assert.deepEqual(await ask(api, key, effect), { ...first, replayed: "true" });
}

async function ask(api: Api, apiKey: string, { method, path, key, body }: Effect) {
  const headers = key === undefined ? {} : { "idempotency-key": key };
  const { status, text, headers: got } = await send(api, method, path, { key: apiKey, headers, raw: body ?? "" });
  return { status, text, location: got.get("location"), replayed: got.get("idempotent-replayed") };
}
