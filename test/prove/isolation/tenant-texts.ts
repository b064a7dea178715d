import assert from "node:assert/strict";
import { hashKey } from "../../../lib/auth/api-key.ts";
import type { Write } from "../../../lib/index.ts";
import { type Event, eventId, hasEvents } from "../../../lib/model/event.ts";
import { type Kind, models } from "../../../lib/model/kinds.ts";
import { idsAt } from "./random-client.ts";
import { filledIn, smallest, type TestCall } from "./requests.ts";
import { type Credential, credentialOf, type SharedFile } from "./shared-database.ts";
import type { TestTenant } from "./tenants.ts";

/** Returns every text in the rows of a tenant, also inside of JSON. */
export function textsOf({ watched }: Pick<SharedFile, "watched">, { id }: TestTenant): string[] {
  const rows = watched.tables.flatMap((table) => watched.rows(table, id));
  return [...new Set(rows.flatMap((row) => Object.values(row)).flatMap(textsIn))].filter((text) => text !== "");
}

function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value === "object" && value !== null) return Object.entries(value).flat().flatMap(textsIn);
  if (typeof value !== "string") return [];
  return /^[{[]/.test(value) ? textsIn(JSON.parse(value)) : [value];
}

/** Adds an archived copy of one record of every kind. Returns their IDs. */
export async function addArchived({ storage }: SharedFile, { id: tenant, admin }: TestTenant): Promise<string[]> {
  const never: readonly Kind[] = ["tenant", "idempotencyRecord", "event"];
  const ids: string[] = [];
  for (const kind of (Object.keys(models) as Kind[]).filter((each) => !never.includes(each))) {
    const [record] = await storage.list(tenant, kind, {});
    if (record === undefined) assert.fail(`the tenants of tenants.ts have no ${kind}: give them one`);
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

/** Updates each record twice without a change, and adds the events of these updates. */
export async function addEvents({ storage }: SharedFile, { id: tenant }: TestTenant): Promise<void> {
  const kinds = (Object.keys(models) as Kind[]).filter(hasEvents);
  for (const kind of [...kinds, ...kinds]) {
    for (const record of await storage.list(tenant, kind, {})) {
      const { id: recordId, updatedAt: previousAt } = record;
      await storage.commit(tenant, previousAt, (at) => {
        const event: Event = {
          ...{
            id: eventId(at, kind, recordId),
            type: `${kind}.updated`,
            recordId,
            changed: [],
            before: {},
            previousAt,
          },
          ...{ integrationId: null, keyId: null, userId: null, requestId: "added" },
          ...{ createdAt: at, updatedAt: at, archivedAt: null },
        };
        const updated = { ...record, updatedAt: at };
        const update = { op: "update", kind, record: updated, expectedUpdatedAt: previousAt } as unknown as Write;
        return [update, { op: "insert", kind: "event", record: event }];
      });
    }
  }
}

/** Records the use of an API key. It is written once a minute, so not again while the clock is stopped. */
export async function recordUse(
  shared: SharedFile,
  tenant: TestTenant,
  credential: Credential = { "x-api-key": tenant.key },
): Promise<void> {
  const me = shared.api.endpoints.find(({ path }) => path === "/me") ?? assert.fail("there is no GET /me");
  await shared.call({ endpoint: me, params: {}, query: {}, headers: {} }, tenant, credential);
}

/** Returns calls of this tenant that succeed: for each endpoint one of each form of its smallest call. */
export async function successfulCalls(
  shared: SharedFile,
  tenant: TestTenant,
  words: readonly string[],
): Promise<TestCall[]> {
  const found: TestCall[] = [];
  for (const endpoint of shared.api.endpoints) {
    for (const plain of smallest(endpoint, tenant.id))
      found.push(await findSuccessfulCall(shared, tenant, plain, words));
  }
  return found;
}

async function findSuccessfulCall(
  shared: SharedFile,
  tenant: TestTenant,
  plain: TestCall,
  words: readonly string[],
): Promise<TestCall> {
  const credential = await credentialOf(plain, tenant);
  for (const call of attempts(shared, tenant, plain, words)) {
    const { status } = await shared.call(call, tenant, credential);
    shared.restore();
    // A batch whose operation failed has status 207.
    if (status < 300 && status !== 207) return call;
  }
  return assert.fail(`${plain.endpoint.name}: no request succeeds. Add the records that it needs to tenants.ts.`);
}

/** Returns the call without changes, then with IDs that fit each input, then with all texts. */
function* attempts(shared: SharedFile, tenant: TestTenant, plain: TestCall, words: readonly string[]) {
  yield plain;
  yield* filledIn(plain, words, (input) => idsAt(shared, tenant, plain.endpoint, input));
  yield* filledIn(plain, words);
}

/** Returns the cursors of the tenant's lists. */
export async function cursorsOf(shared: SharedFile, tenant: TestTenant, calls: readonly TestCall[]): Promise<string[]> {
  const cursors: string[] = [];
  for (const call of calls.filter(({ endpoint }) => "cursor" in endpoint.query)) {
    const first = { ...call, query: { ...call.query, limit: "1" } };
    const { body, text } = await shared.call(first, tenant, await credentialOf(call, tenant));
    const { nextCursor } = body as { nextCursor: unknown };
    if (typeof nextCursor !== "string") assert.fail(`${call.endpoint.name} of the tenant has one page only: ${text}`);
    cursors.push(nextCursor);
  }
  shared.restore();
  return cursors;
}

/**
 * Sends every POST once with an Idempotency-Key, and then restores everything but the idempotency records.
 * @param by owner of the keys: another tenant for keys that two tenants use
 * @returns the idempotency keys
 */
export async function useKeys(
  shared: SharedFile,
  tenant: TestTenant,
  calls: readonly TestCall[],
  by = tenant,
): Promise<string[]> {
  const posts = calls.filter(({ endpoint }) => endpoint.method === "POST");
  const rows: Readonly<Record<string, unknown>>[] = [];
  const keys = posts.map((_, index) => `${by.id.slice(0, 24)}${String(index).padStart(12, "0")}`);
  for (const [index, call] of posts.entries()) {
    const headers = { "Idempotency-Key": keys[index] ?? "" };
    await shared.call({ ...call, headers }, tenant, await credentialOf(call, tenant));
    rows.push(
      ...shared.watched
        .rows("idempotency_records", tenant.id)
        .filter((row) => String(row.id).endsWith(keys[index] ?? "-")),
    );
    shared.restore();
  }
  assert.equal(rows.length, posts.length, "every POST keeps its response");
  for (const row of rows) shared.watched.put("idempotency_records", row);
  return keys;
}
