import assert from "node:assert/strict";
import { hashKey } from "../../lib/auth/api-key.ts";
import type { Write } from "../../lib/index.ts";
import { type Kind, models } from "../../lib/model/kinds.ts";
import { type Ask, filledIn, smallest } from "./asks.ts";
import type { Neighbour } from "./neighbours.ts";
import { credentialOf, type SharedFile } from "./shared-file.ts";

/** Every text that is kept of a tenant, in whatever column, also inside JSON. */
export function wordsOf({ watched }: Pick<SharedFile, "watched">, { id }: Neighbour): string[] {
  const rows = watched.tables.flatMap((table) => watched.rows(table, id));
  return [...new Set(rows.flatMap((row) => Object.values(row)).flatMap(textsIn))].filter((text) => text !== "");
}

function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value === "object" && value !== null) return Object.entries(value).flat().flatMap(textsIn);
  if (typeof value !== "string") return [];
  return /^[{[]/.test(value) ? textsIn(JSON.parse(value)) : [value];
}

/** Adds an archived copy of one record of every kind that is archived, and answers their ids. */
export async function addArchived({ storage }: SharedFile, { id: tenant, admin }: Neighbour): Promise<string[]> {
  const never: readonly Kind[] = ["tenant", "idempotencyRecord"];
  const ids: string[] = [];
  for (const kind of (Object.keys(models) as Kind[]).filter((each) => !never.includes(each))) {
    const [record] = await storage.list(tenant, kind, {});
    if (record === undefined) assert.fail(`the tenants of neighbours.ts have no ${kind}: give them one`);
    const id = record.id.replace(/^0195/, "0196");
    await storage.commit(tenant, record.updatedAt, (at) => {
      const role = kind === "user" ? { role: "admin", email: `gone-${admin}@tenant.test` } : {};
      const hash = kind === "apiKey" ? { hash: hashKey(tenant + id) } : {};
      const copy = { ...record, ...role, ...hash, id, updatedAt: at, archivedAt: at };
      return [{ op: "insert", kind, record: copy } as unknown as Write];
    });
    ids.push(id);
  }
  return ids;
}

/** The use of a key is noted once a minute: after this it is not, for as long as the clock stands still. */
export async function noteUse(shared: SharedFile, who: Neighbour): Promise<void> {
  const me = shared.api.endpoints.find(({ path }) => path === "/me") ?? assert.fail("there is no GET /me");
  await shared.ask({ endpoint: me, params: {}, query: {}, headers: {} }, who, { "x-api-key": who.key });
}

/** Requests of this tenant that succeed: for each endpoint one of each form that its smallest request can have. */
export async function workingAsks(shared: SharedFile, who: Neighbour, words: readonly string[]): Promise<Ask[]> {
  const found: Ask[] = [];
  for (const endpoint of shared.api.endpoints) {
    for (const plain of smallest(endpoint, who.id)) found.push(await workingAsk(shared, who, plain, words));
  }
  return found;
}

async function workingAsk(shared: SharedFile, who: Neighbour, plain: Ask, words: readonly string[]): Promise<Ask> {
  const credential = await credentialOf(plain, who);
  for (const ask of [plain, ...filledIn(plain, words)]) {
    const { status } = await shared.ask(ask, who, credential);
    shared.restore();
    // A batch whose operation failed has status 207.
    if (status < 300 && status !== 207) return ask;
  }
  return assert.fail(`${plain.endpoint.name}: no request succeeds; give neighbours.ts what it needs`);
}

/** The cursors that the tenant's lists give out. */
export async function cursorsOf(shared: SharedFile, who: Neighbour, asks: readonly Ask[]): Promise<string[]> {
  const cursors: string[] = [];
  for (const ask of asks.filter(({ endpoint }) => "cursor" in endpoint.query)) {
    const first = { ...ask, query: { ...ask.query, limit: "1" } };
    const { body, text } = await shared.ask(first, who, await credentialOf(ask, who));
    const { nextCursor } = body as { nextCursor: unknown };
    if (typeof nextCursor !== "string") assert.fail(`${ask.endpoint.name} of the tenant has one page only: ${text}`);
    cursors.push(nextCursor);
  }
  shared.restore();
  return cursors;
}

/**
 * Sends every POST once under an Idempotency-Key and keeps nothing of it but the record of the answer.
 * @param by whose keys these are; another's for keys that two tenants use
 * @returns the keys
 */
export async function useKeys(shared: SharedFile, who: Neighbour, asks: readonly Ask[], by = who): Promise<string[]> {
  const posts = asks.filter(({ endpoint }) => endpoint.method === "POST");
  const rows: Readonly<Record<string, unknown>>[] = [];
  const keys = posts.map((_, index) => `${by.id.slice(0, 24)}${String(index).padStart(12, "0")}`);
  for (const [index, ask] of posts.entries()) {
    const headers = { "Idempotency-Key": keys[index] ?? "" };
    await shared.ask({ ...ask, headers }, who, await credentialOf(ask, who));
    rows.push(
      ...shared.watched
        .rows("idempotency_records", who.id)
        .filter((row) => String(row.id).endsWith(keys[index] ?? "-")),
    );
    shared.restore();
  }
  assert.equal(rows.length, posts.length, "every POST keeps its answer");
  for (const row of rows) shared.watched.put("idempotency_records", row);
  return keys;
}
