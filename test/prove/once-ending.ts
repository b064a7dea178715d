import assert from "node:assert/strict";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type AdminAuth, type Api, createApi, type RateLimiter, type Storage } from "../../lib/index.ts";
import type { ApiKey } from "../../lib/model/integration.ts";
import { send } from "../support/harness.ts";
import { type Answer, base, type Post } from "./once-client.ts";
import { lists, type Shown } from "./once-follower.ts";

/** What the program has left in the end, asked of the library itself, where no rate is in the way. */
export type Ending = {
  /** Accounts, contacts, opportunities and tasks, the archived ones too. */
  readonly records: readonly Shown[];
  readonly keys: readonly ApiKey[];
  /** How many answers are kept. */
  readonly kept: number;
  /** Sends a POST once more, as this caller. */
  replay(post: Post, credential: Readonly<Record<string, string>>): Promise<Answer>;
  close(): Promise<void>;
};

/** Lets everything through. */
export const noLimit: RateLimiter = {
  take: async () => ({ accepted: true, limit: 1, remaining: 1, resetMs: 0, retryMs: 0 }),
};

/** Reads what the program has left, with a key of the tenant that may read everything. */
export async function endingOf(storage: Storage, tenant: string, key: string, adminAuth: AdminAuth): Promise<Ending> {
  const api = createApi({ storage, rateLimiter: noLimit, adminAuth });
  const records: Shown[] = [];
  for (const list of lists) records.push(...(await recordsOf(api, list, key)));
  return {
    records,
    keys: await storage.list(tenant, "apiKey", { includeArchived: true }),
    kept: (await storage.list(tenant, "idempotencyRecord", { includeArchived: true })).length,
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

/** What SQLite itself says of the file, which nobody else may have open. */
export function assertSound(folder: string): void {
  const database = new Database(join(folder, "crm.db"));
  const said = [database.pragma("integrity_check", { simple: true }), database.pragma("foreign_key_check")];
  database.close();
  assert.deepEqual(said, ["ok", []]);
}

/** An answer as every replay must repeat it: the value of a new API key is shown once and kept nowhere. */
export function repeatable({ status, text, location }: Answer): unknown {
  return { status, location, text: text.replace(/"key":"crm_[^"]*"/, '"key":null') };
}

/** Every answer to a POST was the same one, and at most one of them was the first. */
export function assertOneAnswer({ key, answers }: Post): void {
  const [first, ...others] = answers.map(repeatable);
  for (const other of others) assert.deepEqual(other, first);
  const firsts = answers.filter(({ replayed }) => !replayed);
  assert.ok(firsts.length <= 1, `${key} was done ${firsts.length} times`);
}

/**
 * Of every POST that makes a record there is exactly one, with the id of every answer; each record is as it was last
 * answered, and there are no others than those that were there before.
 */
export function assertOneRecordEach(
  posts: readonly Post[],
  records: readonly Shown[],
  before: readonly string[],
): void {
  const made = Map.groupBy(records, ({ externalId, description }) => externalId ?? description);
  const answered = new Map<string, Shown>();
  for (const { key, path, answers } of posts) {
    const data = JSON.parse(answers[0]?.text ?? "").data;
    if (data.id === undefined) continue;
    answered.set(data.id, data);
    if (path.endsWith("/restore")) continue;
    const found = made.get(key)?.map(({ id }) => id);
    assert.deepEqual(found, [data.id], `${path} under ${key}`);
  }
  const others = records.filter(({ id }) => !answered.has(id)).map(({ id }) => id);
  assert.deepEqual(others.sort(), [...before].sort());
  for (const record of records) assert.deepEqual(answered.get(record.id) ?? record, record);
}
