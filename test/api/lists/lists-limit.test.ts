import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { RateLimitResult } from "../../../lib/index.ts";
import { type Result, testCrm } from "../../support/harness.ts";
import { dataOf, type ShownTask } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { key } = one;
const state: RateLimitResult = { accepted: true, limit: 300, remaining: 299, resetMs: 60_000, retryMs: 0 };
const { send, api, clock } = await testCrm([one], { rateLimiter: { take: async () => state } });
after(() => api.close());

const get = (query: string): Promise<Result> => send("GET", `/tasks?${query}`, { key });
const cursorOf = ({ body }: Result): string => (body as { nextCursor: string }).nextCursor;
const lengthOf = (page: Result): number => dataOf<ShownTask[]>(page).length;

for (let i = 0; i < 60; i++) {
  clock.advance(1_000);
  dataOf(await send("POST", "/tasks", { key, body: { title: `Call ${i}` } }), 201);
}

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
  const first = await get("limit=3");
  const second = await get(`limit=5&cursor=${cursorOf(first)}`);
  const third = await get(`cursor=${cursorOf(second)}`);
  assert.deepEqual([second, third].map(lengthOf), [5, 5]);
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
