import assert from "node:assert/strict";
import { test } from "node:test";
import { freshAddress } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";
import { serving, start, tenantFolder } from "../support/program.ts";
import { testTenant } from "../support/tenants.ts";

const one = testTenant(1);
const { path, file } = tenantFolder(one);

type Record = { readonly id: string; readonly updatedAt: string; readonly [field: string]: unknown };

type Body = { readonly data: readonly Record[]; readonly nextCursor: string | null; readonly error?: { code: string } };

/** A client that synchronizes the tasks. Stores a copy of them, the cursor and the watermark between two requests. */
class Sync {
  readonly copy = new Map<string, Record>();
  cursor: string | null = null;
  watermark: string | null = null;

  /** Reads one page, as docs/concepts/sync.md describes. Returns whether it was the last page for now. */
  async page(baseUrl: string): Promise<{ readonly status: number; readonly code?: string; readonly last: boolean }> {
    const from = this.watermark === null ? {} : { updatedSince: this.watermark };
    const query = { limit: "3", includeArchived: "true", ...(this.cursor === null ? from : { cursor: this.cursor }) };
    const response = await fetch(`${baseUrl}/tasks?${new URLSearchParams(query)}`, {
      headers: { "x-api-key": one.key },
    });
    const body = (await response.json()) as Body;
    if (response.status === 400) {
      // Only the cursor is invalid. The watermark remains valid.
      this.cursor = null;
      return { status: 400, code: body.error?.code ?? "", last: false };
    }
    assert.equal(response.status, 200, JSON.stringify(body));
    for (const record of body.data) this.copy.set(record.id, record);
    this.watermark = response.headers.get("x-next-updated-since");
    this.cursor = body.nextCursor;
    return { status: 200, last: body.nextCursor === null };
  }

  async toTheEnd(baseUrl: string): Promise<void> {
    while (!(await this.page(baseUrl)).last);
  }
}

async function create(baseUrl: string, title: string): Promise<Record> {
  const headers = { "x-api-key": one.key, "content-type": "application/json" };
  const response = await fetch(`${baseUrl}/tasks`, { method: "POST", headers, body: JSON.stringify({ title }) });
  const body = (await response.json()) as { data: Record };
  assert.equal(response.status, 201, JSON.stringify(body));
  return body.data;
}

test("a sync misses nothing if its tenant moves from SQLite to two servers on PostgreSQL", {
  skip: noPostgres,
  timeout: 300_000,
}, async (t) => {
  const sync = new Sync();
  const report = (text: string): void => t.diagnostic(text);

  const before = await serving(t, "--data", path("data"), "--fixtures", file);
  const posted: Record[] = [];
  for (let index = 1; index <= 8; index++) posted.push(await create(before.greeting.baseUrl, `Before ${index}`));
  await sync.page(before.greeting.baseUrl);
  await sync.page(before.greeting.baseUrl);
  assert.ok(sync.cursor !== null && sync.copy.size < posted.length);
  report(`on SQLite: the sync has ${sync.copy.size} tasks, the watermark ${sync.watermark} and a cursor`);

  before.child.kill("SIGTERM");
  assert.equal((await before.ended).code, 0);
  const address = await freshAddress();
  const dumped = await start(t, "dump", "--data", path("data"), "--out", path("one.json")).ended;
  assert.deepEqual([dumped.code, dumped.stderr], [0, ""]);
  const loaded = await start(t, "load", path("one.json"), "--database", address).ended;
  assert.deepEqual([loaded.code, loaded.stderr], [0, ""]);
  report(`dump: ${dumped.stdout.trim().replace(path(""), "")}`);
  report(`load: ${loaded.stdout.trim().replace(path(""), "")}`);

  const servers = [await serving(t, "--database", address), await serving(t, "--database", address)];
  const [first = "", second = ""] = servers.map(({ greeting }) => greeting.baseUrl);
  for (let index = 1; index <= 4; index++)
    posted.push(await create(index % 2 === 0 ? first : second, `After ${index}`));
  const rejected = await sync.page(first);
  assert.deepEqual(rejected, { status: 400, code: "invalid_cursor", last: false });
  report("on PostgreSQL: the cursor gets 400 invalid_cursor; the sync continues from its watermark");
  await sync.page(first);
  await sync.page(second);
  assert.ok(sync.cursor !== null, "the other server must accept the cursor");
  await sync.toTheEnd(first);

  const created = new Map(posted.map((record) => [record.id, record]));
  const copied = new Map([...sync.copy].filter(([id]) => created.has(id)));
  assert.deepEqual(copied, new Map([...copied.keys()].map((id) => [id, created.get(id)])));
  assert.deepEqual(
    [...created.keys()].filter((id) => !sync.copy.has(id)),
    [],
  );
  assert.equal(sync.copy.size, posted.length + 2, "the copy must have the two tasks of the tenant file too");
  const all = new Sync();
  await all.toTheEnd(second);
  assert.deepEqual(all.copy, sync.copy);
  report(`the sync has all ${sync.copy.size} tasks, like a sync from the beginning`);

  const back = await start(t, "dump", "--database", address).ended;
  assert.equal(back.code, 0, back.stderr);
  const { tasks, integrations } = JSON.parse(back.stdout);
  assert.equal(tasks.length, sync.copy.size);
  assert.equal(integrations.length, 3);
});
