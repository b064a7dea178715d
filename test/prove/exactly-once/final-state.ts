import assert from "node:assert/strict";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type AdminAuth, type Api, createApi, type RateLimiter, type Storage } from "../../../lib/index.ts";
import type { ApiKey } from "../../../lib/model/integration.ts";
import { send } from "../../support/harness.ts";
import { base, type Post, type StoredResponse } from "./client.ts";
import { lists, type Shown } from "./sync-client.ts";

/** The records at the end, read through the library, without a rate limit. */
export type FinalState = {
  /** Accounts, contacts, opportunities and tasks, with archived ones. */
  readonly records: readonly Shown[];
  readonly keys: readonly ApiKey[];
  /** Number of stored responses. */
  readonly storedResponses: number;
  /** Sends the POST again as this caller. */
  replay(post: Post, credential: Readonly<Record<string, string>>): Promise<StoredResponse>;
  close(): Promise<void>;
};

/** A rate limiter that accepts everything. */
export const noLimit: RateLimiter = {
  take: async () => ({ accepted: true, limit: 1, remaining: 1, resetMs: 0, retryMs: 0 }),
};

/** Reads the records of a tenant, with an API key that has all scopes. */
export async function readFinalState(
  storage: Storage,
  tenant: string,
  key: string,
  adminAuth: AdminAuth,
): Promise<FinalState> {
  const api = createApi({ storage, rateLimiter: noLimit, adminAuth });
  const records: Shown[] = [];
  for (const list of lists) records.push(...(await recordsOf(api, list, key)));
  return {
    records,
    keys: await storage.list(tenant, "apiKey", { includeArchived: true }),
    storedResponses: (await storage.list(tenant, "idempotencyRecord", { includeArchived: true })).length,
    async replay({ key: idempotencyKey, path, body }, credential) {
      const headers = { ...credential, "idempotency-key": idempotencyKey };
      const { status, text, headers: got } = await send(api, "POST", `http://crm.test${path}`, { headers, body });
      return { status, text, location: got.get("location"), replayed: got.get("idempotent-replayed") === "true" };
    },
    close: () => api.close(),
  };
}

async function recordsOf(api: Api, list: string, key: string): Promise<readonly Shown[]> {
  const records: Shown[] = [];
  for (let cursor = ""; ; ) {
    const path = `http://crm.test${base}/${list}?limit=200&includeArchived=true${cursor}`;
    const { status, body, text } = await send(api, "GET", path, { key });
    assert.equal(status, 200, text);
    const page = body as { data: readonly Shown[]; nextCursor: string | null };
    records.push(...page.data);
    if (page.nextCursor === null) return records;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

/** Asserts that SQLite finds no error in the file. No other process may have it open. */
export function assertSound(folder: string): void {
  const database = new Database(join(folder, "crm.db"));
  const results = [database.pragma("integrity_check", { simple: true }), database.pragma("foreign_key_check")];
  database.close();
  assert.deepEqual(results, ["ok", []]);
}

/** Returns the part of a response that every replay repeats. The value of a new API key is shown only once. */
export function repeatable({ status, text, location }: StoredResponse): unknown {
  return { status, location, text: text.replace(/"key":"crm_[^"]*"/, '"key":null') };
}

/** Asserts that all responses to a POST are the same, and at most one is not a replay. */
export function assertOneResponse({ key, responses }: Post): void {
  const [first, ...others] = responses.map(repeatable);
  for (const other of others) assert.deepEqual(other, first);
  const firsts = responses.filter(({ replayed }) => !replayed);
  assert.ok(firsts.length <= 1, `${key} was done ${firsts.length} times`);
}

/**
 * Asserts that every POST that creates a record has created exactly one, with the ID and the values of its response,
 * and that the only other records are those of the tenant file.
 */
export function assertOneRecordEach(
  posts: readonly Post[],
  records: readonly Shown[],
  before: readonly string[],
): void {
  const made = Map.groupBy(records, ({ externalId, description }) => externalId ?? description);
  const onResponse = new Map<string, Shown>();
  for (const { key, path, responses } of posts) {
    const data = JSON.parse(responses[0]?.text ?? "").data;
    if (data.id === undefined) continue;
    onResponse.set(data.id, data);
    if (path.endsWith("/restore")) continue;
    const found = made.get(key)?.map(({ id }) => id);
    assert.deepEqual(found, [data.id], `${path} under ${key}`);
  }
  const others = records.filter(({ id }) => !onResponse.has(id)).map(({ id }) => id);
  assert.deepEqual(others.sort(), [...before].sort());
  for (const record of records) assert.deepEqual(onResponse.get(record.id) ?? record, record);
}
