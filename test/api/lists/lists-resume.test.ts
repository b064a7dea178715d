import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { after, test } from "node:test";
import { encodeCursor } from "../../../lib/api/cursor.ts";
import type { RateLimitResult } from "../../../lib/index.ts";
import { adminAuth, adminOf } from "../../support/admin.ts";
import { type Result, testCrm } from "../../support/harness.ts";
import { dataOf, errorOf, type ShownTask, verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { key } = one;
const state: RateLimitResult = { accepted: true, limit: 300, remaining: 299, resetMs: 60_000, retryMs: 0 };
const crm = await testCrm([one], { adminAuth, rateLimiter: { take: async () => state } });
const { send, api, storage, clock } = crm;
after(() => api.close());

const get = (query: string): Promise<Result> => send("GET", `/tasks?${query}`, { key });
const cursorOf = ({ body }: Result): string => (body as { nextCursor: string }).nextCursor;
const pointOf = ({ headers }: Result): string => headers.get("x-next-updated-since") ?? "";

const made: ShownTask[] = [];
for (let i = 0; i < 9; i++) {
  clock.advance(1_000);
  made.push(dataOf(await send("POST", "/tasks", { key, body: { title: `Call ${i}` } }), 201));
}

test("a cursor with a changed, missing or extra character is rejected", async () => {
  const cursor = cursorOf(await get("limit=1"));
  const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const altered = [...cursor].flatMap((character, index) =>
    [...characters]
      .filter((other) => other !== character)
      .map((other) => cursor.slice(0, index) + other + cursor.slice(index + 1)),
  );
  const cut = Array.from({ length: cursor.length - 1 }, (_, index) => cursor.slice(0, index + 1));
  assert.equal(altered.length, cursor.length * 63);
  for (const other of [...altered, ...cut, `${cursor}A`, `${cursor}AAAA`, `A${cursor}`]) {
    const rejected = await get(`cursor=${other}`);
    assert.equal(verdict(rejected), "400 invalid_cursor", other);
  }
  assert.equal((await get(`cursor=${cursor}`)).status, 200);
});

test("text that isn't a cursor returns the same error", async () => {
  const cursor = cursorOf(await get("limit=1"));
  const message = "Invalid cursor. Restart without a cursor.";
  const inBase64 = Buffer.from(cursor, "base64url").toString("base64");
  for (const other of ["abc", "null", "50", "%00", "é", `${cursor}=`, ` ${cursor}`, `${cursor} `, "A".repeat(5_000)]) {
    const rejected = await get(`cursor=${encodeURIComponent(other)}`);
    assert.deepEqual([rejected.status, errorOf(rejected)], [400, { code: "invalid_cursor", message }], other);
  }
  if (inBase64 !== cursor)
    assert.equal(verdict(await get(`cursor=${encodeURIComponent(inBase64)}`)), "400 invalid_cursor");
});

test("a cursor of another tenant or list is rejected", async () => {
  const position = { key: Date.parse(made[0]?.updatedAt ?? ""), id: made[0]?.id ?? "" };
  const scope = { tenantId: one.id, endpoint: "listTasks" };
  const seal = (changed: Partial<typeof scope>, secret: Uint8Array) =>
    encodeCursor(createSecretKey(secret), { ...scope, ...changed }, { position, filters: {}, limit: 50 }).cursor;
  const secret = await storage.cursorSecret();
  assert.deepEqual(dataOf<ShownTask[]>(await get(`cursor=${seal({}, secret)}`))[0], made[1]);
  const others = [
    seal({ endpoint: "listContacts" }, secret),
    seal({ endpoint: "" }, secret),
    seal({ tenantId: "01950002-0000-7000-9000-000000000002" }, secret),
    seal({}, Buffer.alloc(32)),
  ];
  for (const cursor of others) assert.equal(verdict(await get(`cursor=${cursor}`)), "400 invalid_cursor");
});

test("every other list rejects the cursor", async () => {
  const cursor = cursorOf(await get("limit=1"));
  // A history belongs to a record.
  const lists = api.endpoints.filter(
    ({ name, query, success }) => "cursor" in query && name !== "listTasks" && success.collection !== "history",
  );
  const admin = adminOf(crm, one.id, one.admin);
  for (const { access, path } of lists) {
    const list = `${path}?cursor=${cursor}`;
    const response = access === "admin" ? await admin("GET", list) : await send("GET", list, { key });
    assert.equal(verdict(response), "400 invalid_cursor", path);
  }
});

test("updatedSince is inclusive, to the millisecond", async () => {
  const third = made[2]?.updatedAt ?? "";
  const after = new Date(Date.parse(third) + 1).toISOString();
  const before = new Date(Date.parse(third) - 1).toISOString();
  const counts = [];
  for (const since of [before, third, after]) {
    counts.push(dataOf<ShownTask[]>(await get(`updatedSince=${since}`)).length);
  }
  assert.deepEqual(counts, [7, 7, 6]);
  assert.deepEqual(dataOf<ShownTask[]>(await get(`updatedSince=${third}`))[0], made[2]);
});

test("updatedSince returns all tasks with the same updatedAt, in pages of any size", async () => {
  const since = "2026-01-05T08:00:00.000Z";
  const archived = `updatedSince=${since}&includeArchived=true`;
  const first = await get(`${archived}&limit=1`);
  const second = await get(`cursor=${cursorOf(first)}&limit=1`);
  const ids = [first, second].flatMap((page) => dataOf<ShownTask[]>(page).map(({ id }) => id));
  assert.deepEqual(ids, [one.task, one.archivedTask]);
  assert.deepEqual([pointOf(first), pointOf(second)], [since, since]);
});

test("updatedSince accepts any UTC offset", async () => {
  const since = made[6]?.updatedAt ?? "";
  const local = new Date(Date.parse(since) + 5.5 * 3_600_000).toISOString().replace("Z", "+05:30");
  for (const written of [since, since.toLowerCase(), local]) {
    const found = dataOf<ShownTask[]>(await get(`updatedSince=${encodeURIComponent(written)}`));
    assert.deepEqual(found, made.slice(6));
  }
});

test("X-Next-Updated-Since is the last updatedAt of the page", async () => {
  const first = await get("limit=3");
  assert.equal(pointOf(first), made[1]?.updatedAt);
  const last = await get(`limit=50&cursor=${cursorOf(first)}`);
  assert.equal(pointOf(last), made[8]?.updatedAt);
});

test("X-Next-Updated-Since of an empty page is the current watermark", async () => {
  const past = new Date(clock.now() - 60_000).toISOString();
  assert.equal(pointOf(await get(`status=canceled&updatedSince=${past}`)), past);
  // Also if the clock was set back since then: each commit is later than the last one.
  const reached = Date.parse(made[8]?.updatedAt ?? "");
  const now = clock.now();
  clock.set(now - 3_600_000);
  for (const ms of [reached, reached + 1]) {
    const point = new Date(ms).toISOString();
    assert.equal(pointOf(await get(`status=canceled&updatedSince=${point}`)), point);
  }
  clock.set(now);
});

test("X-Next-Updated-Since of an empty page is never later than the clock", async () => {
  const past = new Date(clock.now() - 60_000).toISOString();
  // A client whose clock is ahead would otherwise miss new records until the server's clock catches up.
  const point = pointOf(await get("updatedSince=2030-01-01T00:00:00.000Z"));
  assert.equal(point, past);
  assert.equal(pointOf(await get("status=canceled")), "1970-01-01T00:00:00.000Z");
});

test("a sync from X-Next-Updated-Since receives each change, and the last one again", async () => {
  let point = pointOf(await get(""));
  const changes = [
    ["POST", "/tasks", { title: "New" }],
    ["PATCH", `/tasks/${made[0]?.id}`, { title: "Changed" }],
    ["DELETE", `/tasks/${made[1]?.id}`],
    ["POST", `/tasks/${made[1]?.id}/restore`, {}],
  ] as const;
  let known = made[8]?.id;
  for (const [method, path, body] of changes) {
    await send(method, path, { key, ...(body && { body }) });
    const page = await get(`updatedSince=${point}&includeArchived=true`);
    const ids = dataOf<ShownTask[]>(page).map(({ id }) => id);
    const changed = path.split("/")[2] ?? ids.at(-1);
    assert.deepEqual(ids, known === changed ? [changed] : [known, changed]);
    [point, known] = [pointOf(page), changed];
  }
});

test("a record that changes between pages appears again on a later page", async () => {
  const first = await get("limit=4");
  const [early, later] = [dataOf<ShownTask[]>(first)[1], made[7]];
  for (const task of [early, later]) await send("PATCH", `/tasks/${task?.id}`, { key, body: { title: "Moved" } });
  const rest = dataOf<ShownTask[]>(await get(`cursor=${cursorOf(first)}&limit=200`));
  const ids = [...dataOf<ShownTask[]>(first), ...rest].map(({ id }) => id);
  assert.deepEqual(ids.slice(-2), [early?.id, later?.id]);
  assert.deepEqual(new Set(ids), new Set(dataOf<ShownTask[]>(await get("limit=200")).map(({ id }) => id)));
});

const lengthOf = (page: Result): number => dataOf<ShownTask[]>(page).length;

test("a request with only a cursor has the limit of the previous page", async () => {
  const first = await get("limit=3");
  const second = await get(`cursor=${cursorOf(first)}`);
  const third = await get(`cursor=${cursorOf(second)}`);
  assert.deepEqual([first, second, third].map(lengthOf), [3, 3, 3]);
  const all = dataOf<ShownTask[]>(await get("limit=9"));
  assert.deepEqual(
    [first, second, third].flatMap((page) => dataOf<ShownTask[]>(page)),
    all,
  );
});

test("the URL in Link has the same limit", async () => {
  const first = await get("limit=4");
  const [, query = ""] = /^<\?(.*)>; rel="next"$/.exec(first.headers.get("link") ?? "") ?? [];
  const second = await get(query);
  assert.equal(lengthOf(second), 4);
});

test("a limit sent with a cursor applies, also to the pages after it", async () => {
  const first = await get("limit=2");
  const second = await get(`limit=3&cursor=${cursorOf(first)}`);
  const third = await get(`cursor=${cursorOf(second)}`);
  assert.deepEqual([second, third].map(lengthOf), [3, 3]);
});

test("an empty cursor or updatedSince counts as absent", async () => {
  const first = await get("limit=2");
  for (const query of ["limit=2&cursor=", "limit=2&updatedSince=", "cursor=&updatedSince=&limit=2"])
    assert.equal((await get(query)).text, first.text, query);
  const second = await get(`cursor=${cursorOf(first)}`);
  assert.equal((await get(`updatedSince=&cursor=${cursorOf(first)}`)).text, second.text);
  const since = dataOf<ShownTask[]>(first)[1]?.updatedAt;
  assert.deepEqual(dataOf<ShownTask[]>(await get(`updatedSince=${since}&cursor=&limit=1`)), [
    dataOf<ShownTask[]>(first)[1],
  ]);
});

test("an empty cursor is an unknown parameter of lists without pages", async () => {
  assert.equal((await send("GET", "/users?cursor=", { key })).status, 400);
});
