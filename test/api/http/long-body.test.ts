import assert from "node:assert/strict";
import { after, test } from "node:test";
import { hashKey } from "../../../lib/auth/api-key.ts";
import { WriteConflict } from "../../../lib/storage/storage.ts";
import { baseUrl, type Result, testCrm } from "../../support/harness.ts";
import { dataOf, errorOf, verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { api, storage, clock, send } = await testCrm([one]);
after(() => api.close());

const kibibyte = 1024;
const text = (title: string, length: number): string => {
  const rest = length - JSON.stringify({ title, description: "" }).length;
  return JSON.stringify({ title, description: "x".repeat(Math.min(rest, 65_536)) }).padEnd(length);
};

/** Sends a body in these pieces, without its length. Awaits `before` before the last piece. */
async function sendInPieces(key: string, pieces: readonly string[], before = async () => {}): Promise<Result> {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent === pieces.length - 1) await before();
      const piece = pieces[sent++];
      if (piece === undefined) controller.close();
      else controller.enqueue(Buffer.from(piece));
    },
  });
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const request = new Request(`${baseUrl}/tasks`, { method: "POST", headers, body, duplex: "half" });
  const response = await api.fetch(request, { remoteAddress: "192.0.2.1" });
  const received = await response.text();
  return { status: response.status, headers: response.headers, text: received, body: JSON.parse(received) };
}

function inPieces(whole: string, length: number): string[] {
  return Array.from({ length: Math.ceil(whole.length / length) }, (_, index) =>
    whole.slice(index * length, (index + 1) * length),
  );
}

test("POST stores the same record for a body in pieces of any size", async () => {
  for (const [length, piece] of [
    [40_000, 1],
    [100_000, 7_001],
    [100_000, 100_000],
    [16_385, 16_384],
  ] as const) {
    const whole = text(`${length} in ${piece}`, length);
    assert.equal(whole.length, length);
    const created = dataOf(await sendInPieces(one.key, inPieces(whole, piece)), 201);
    assert.deepEqual({ title: created.title, description: created.description }, JSON.parse(whole));
    clock.advance(60_000);
  }
});

test("POST with a long body and a wrong API key returns 401 without reading the body", async () => {
  const tooLong = inPieces(text("Too long", 1025 * kibibyte), 64 * kibibyte);
  assert.equal(verdict(await sendInPieces("wrong", tooLong)), "401 unauthorized");
  clock.advance(60_000);
  const known = await sendInPieces(one.key, tooLong);
  assert.deepEqual([verdict(known), known.headers.get("x-ratelimit-remaining")], ["413 bad_request", "299"]);
});

test("POST with a long body and without the scope returns 403 and counts once for the rate limit", async () => {
  clock.advance(60_000);
  const response = await sendInPieces(one.readKey, inPieces(text("Long", 500 * kibibyte), 64 * kibibyte));
  assert.deepEqual(
    [verdict(response), response.headers.get("x-ratelimit-remaining")],
    ["403 insufficient_scope", "299"],
  );
});

/**
 * Uploads a task without a due date. Its tenant changes whether a task needs one after the server has verified the API
 * key.
 */
async function uploadDuring(change: "add" | "archive", uploadMs: number): Promise<Result> {
  const [rule] = await storage.list(one.id, "rule", { where: { entity: "task" }, includeArchived: true });
  return sendInPieces(one.key, inPieces(text(`${change} in ${uploadMs} ms`, 20_000), 16_384), async () => {
    await storage.commit(one.id, clock.now(), (at) => {
      const archivedAt = change === "add" ? null : at;
      const fields = { entity: "task", field: "dueDate", when: null, updatedAt: at, archivedAt } as const;
      if (rule === undefined)
        return [{ op: "insert", kind: "rule", record: { id: crypto.randomUUID(), createdAt: at, ...fields } }];
      const update = { record: { ...rule, ...fields }, expectedUpdatedAt: rule.updatedAt };
      return [{ op: "update", kind: "rule", ...update }];
    });
    clock.advance(uploadMs);
  });
}

test("POST is checked by the settings at the end of the upload", async () => {
  assert.equal(verdict(await uploadDuring("add", 0)), "422 validation_error: /dueDate required");
  assert.equal(verdict(await uploadDuring("archive", 1_000)), "201");
});

test("POST returns 401 if the API key is revoked during the upload", async () => {
  const revoke = async (): Promise<void> => {
    const key = (await storage.list(one.id, "apiKey", {})).find(({ hash }) => hash === hashKey(one.key));
    assert.ok(key !== undefined);
    const { updatedAt: expectedUpdatedAt } = key;
    const revoked = { ...key, revokedAt: clock.now() };
    const commit = storage.commit(one.id, clock.now(), (at) => [
      { op: "update", kind: "apiKey", record: { ...revoked, updatedAt: at }, expectedUpdatedAt },
    ]);
    // The upload takes a while.
    clock.advance(1_000);
    // That the key was used may be noted in between.
    await commit.catch((error) => (error instanceof WriteConflict ? revoke() : Promise.reject(error)));
  };
  const tasks = async () => (await storage.list(one.id, "task", {})).length;
  const before = await tasks();
  const response = await sendInPieces(one.key, inPieces(text("Late", 100 * kibibyte), 20 * kibibyte), revoke);
  assert.deepEqual([response.status, errorOf(response).message], [401, "Revoked API key."]);
  assert.equal(await tasks(), before);
});

test("POST with a long body returns 429 over the rate limit and over the limit of failed authentication", async () => {
  clock.advance(60_000);
  for (let times = 0; times < 300; times++) await send("GET", "/me", { key: one.readKey });
  const long = inPieces(text("Long", 100 * kibibyte), 64 * kibibyte);
  const rejected = await sendInPieces(one.readKey, long);
  assert.deepEqual([verdict(rejected), rejected.headers.get("retry-after")], ["429 rate_limited", "60"]);
  clock.advance(60_000);
  const verdicts: string[] = [];
  for (let times = 0; times < 61; times++) verdicts.push(verdict(await sendInPieces("wrong", long)));
  assert.deepEqual(verdicts, [...Array.from({ length: 60 }, () => "401 unauthorized"), "429 rate_limited"]);
});
