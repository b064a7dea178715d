import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createApi } from "../../../lib/index.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { type Result, type Sent, send as sendTo, testCrm } from "../../support/harness.ts";
import { dataOf, errorOf, type ShownTask, verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
const { key } = one;
const folder = mkdtempSync(join(tmpdir(), "crm-lists-"));
const file = join(folder, "crm.db");
const { send, api, clock } = await testCrm([one, two], { storage: sqliteStorage({ file }) });

type Page = { readonly data: readonly ShownTask[]; readonly nextCursor: string | null };

/** Reads one page, from the api of all tests or from another. */
async function pageOf(query: string, read: (path: string) => Promise<Result> = get): Promise<Page> {
  const result = await read(`/tasks?${query}`);
  assert.equal(result.status, 200, result.text);
  const page = result.body as Page;
  const link = page.nextCursor === null ? null : `<?cursor=${page.nextCursor}>; rel="next"`;
  assert.equal(result.headers.get("link"), link);
  assert.ok((page.nextCursor ?? "").length <= 1024);
  return page;
}

function get(path: string, sent: Sent = { key }): Promise<Result> {
  return send("GET", path, sent);
}

/** All pages from the first on; `query` is sent with the first only, `more` with each that follows. */
async function readPages(query: string, more = ""): Promise<readonly Page[]> {
  const pages = [await pageOf(query)];
  for (let cursor = pages[0]?.nextCursor; cursor; cursor = pages.at(-1)?.nextCursor) {
    pages.push(await pageOf(`cursor=${cursor}${more}`));
  }
  return pages;
}

const idsOf = (pages: readonly Page[]): string[] => pages.flatMap(({ data }) => data.map(({ id }) => id));

after(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

/** 28 tasks, including the existing one. Some have the same second, some were changed after their creation. */
const made: ShownTask[] = [];
for (let i = 0; i < 27; i++) {
  const status = i % 3 === 0 ? "completed" : "pending";
  made.push(dataOf(await send("POST", "/tasks", { key, body: { title: `Call ${i}`, status } }), 201));
  if (i % 4 === 0) clock.advance(1_000);
}
for (const index of [3, 11, 4]) await send("PATCH", `/tasks/${made[index]?.id}`, { key, body: { title: "Write" } });
const all = await pageOf("limit=200");

test("a list is ordered by updatedAt, then ID, and no two commits share an updatedAt", () => {
  clock.advance(60_000);
  const times = all.data.map(({ updatedAt }) => updatedAt);
  assert.deepEqual([times.length, new Set(times).size], [28, 28]);
  assert.deepEqual(times, times.toSorted());
  assert.deepEqual(idsOf([all]).slice(-3), [made[3]?.id, made[11]?.id, made[4]?.id]);
});

test("pages return the same tasks in the same order with every limit", async () => {
  clock.advance(60_000);
  for (const limit of [1, 7, 10, 28, 200]) {
    const pages = await readPages(`limit=${limit}`, `&limit=${limit}`);
    assert.deepEqual(
      pages.flatMap(({ data }) => data),
      all.data,
    );
    assert.equal(pages.length, Math.ceil(28 / limit));
  }
});

test("the default limit is 50", async () => {
  clock.advance(60_000);
  const path = "/tasks";
  for (let i = 0; i < 50; i++) await send("POST", path, { key: two.key, body: { title: "Call" } });
  const result = await get(path, { key: two.key });
  assert.equal(dataOf<ShownTask[]>(result).length, 50);
  assert.notEqual((result.body as Page).nextCursor, null);
});

test("a full last page has no cursor", async () => {
  clock.advance(60_000);
  const [first, second] = await readPages("limit=14", "&limit=14");
  assert.deepEqual([first?.data.length, second?.data.length, second?.nextCursor], [14, 14, null]);
  assert.equal((await pageOf("limit=28")).nextCursor, null);
  assert.notEqual((await pageOf("limit=27")).nextCursor, null);
});

test("an empty list is an empty page without a cursor", async () => {
  clock.advance(60_000);
  const filter = "updatedSince=2030-01-01T00:00:00Z";
  assert.deepEqual(await pageOf(filter), { data: [], nextCursor: null });
  assert.deepEqual(await pageOf(`${filter}&includeArchived=true&limit=1`), { data: [], nextCursor: null });
});

test("the limit can change from page to page", async () => {
  clock.advance(60_000);
  const pages = [await pageOf("limit=3")];
  for (const limit of [5, 1, 200]) pages.push(await pageOf(`cursor=${pages.at(-1)?.nextCursor}&limit=${limit}`));
  assert.deepEqual(
    pages.map(({ data }) => data.length),
    [3, 5, 1, 19],
  );
  assert.deepEqual(idsOf(pages), idsOf([all]));
});

test("a cursor contains the filters, and the same filters can be sent with it", async () => {
  clock.advance(60_000);
  const filter = "status=completed&updatedSince=2026-01-01T00:00:00Z";
  const expected = idsOf([await pageOf(filter)]);
  assert.equal(expected.length, 9);
  for (const more of ["", `&${filter}`, "&status=completed", "&updatedSince=2026-01-01T02:00:00.0%2B02:00"]) {
    assert.deepEqual(idsOf(await readPages(`${filter}&limit=2`, `${more}&limit=2`)), expected, more);
  }
  const archived = await readPages("includeArchived=true&limit=1", "&limit=20");
  assert.deepEqual(idsOf(archived).includes(one.archivedTask), true);
});

test("a cursor sent with other filters returns an error that names the filter", async () => {
  clock.advance(60_000);
  const { nextCursor } = await pageOf("limit=2&status=completed");
  const others = {
    status: "pending",
    updatedSince: "2026-01-01T00:00:00Z",
    assignedTo: one.member,
    relatedToId: one.contact,
    includeArchived: "true",
  };
  for (const [name, value] of Object.entries(others)) {
    const rejected = await get(`/tasks?cursor=${nextCursor}&${name}=${value}`);
    assert.equal(verdict(rejected), "400 invalid_cursor", name);
    assert.deepEqual(errorOf(rejected).details, { parameter: name });
  }
});

test("a cursor is valid for every key of its tenant and for no other tenant", async () => {
  clock.advance(60_000);
  const { nextCursor } = await pageOf("limit=2");
  const path = `/tasks?cursor=${nextCursor}`;
  assert.equal(verdict(await get(path, { key: two.key })), "400 invalid_cursor");
  for (const other of [one.secondKey, one.readKey]) assert.equal((await get(path, { key: other })).status, 200);
});

test("a cursor with the longest values of all filters has at most 1,024 characters", async () => {
  clock.advance(60_000);
  const filter = `status=pending&assignedTo=${one.member}&relatedToId=${one.contact}&includeArchived=true`;
  const body = { title: "Call", assignedTo: one.member, relatedTo: { type: "contact", id: one.contact } };
  await send("POST", "/tasks", { key, body });
  const { nextCursor } = await pageOf(`limit=1&updatedSince=2026-01-01T00:00:00.000Z&${filter}`);
  assert.match(nextCursor ?? "", /^[A-Za-z0-9_-]{1,1024}$/);
});

test("a cursor stays valid after a restart", async () => {
  clock.advance(60_000);
  const { nextCursor } = await pageOf("limit=2&status=completed");
  const restarted = createApi({ storage: sqliteStorage({ file }), clock });
  const readRestarted = (path: string) => sendTo(restarted, "GET", path, { key });
  const rest = await pageOf(`cursor=${nextCursor}&limit=50`, readRestarted);
  const expected = await pageOf("status=completed");
  assert.deepEqual(rest, { data: expected.data.slice(2), nextCursor: null });
  await restarted.close();
});
