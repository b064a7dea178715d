import assert from "node:assert/strict";
import { test } from "node:test";
import type { Storage, Write } from "../../../lib/index.ts";
import { wrapStorage } from "../../../lib/index.ts";
import { memoryStorage } from "../../../lib/storage/memory.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { one, openCrm, type Shown } from "../../support/crm.ts";
import { freshStorage } from "../../support/storages.ts";

const maxPageBytes = 4 * 1024 * 1024;
/** 262,144 bytes of UTF-8: the longest description there is. */
const longest = "👩".repeat(65_536);

type Page = { readonly data: readonly Shown[]; readonly nextCursor: string | null };
type Crm = Awaited<ReturnType<typeof openCrm>>;

async function pageOf({ call }: Crm, query: string) {
  const result = await call("GET", `/tasks?${query}`);
  assert.equal(result.status, 200, result.text);
  return { ...(result.body as Page), bytes: Buffer.byteLength(result.text), headers: result.headers };
}

async function readPages(crm: Crm, query: string) {
  const pages = [await pageOf(crm, query)];
  for (let cursor = pages[0]?.nextCursor; cursor; cursor = pages.at(-1)?.nextCursor) {
    pages.push(await pageOf(crm, `cursor=${cursor}&limit=200`));
  }
  return pages;
}

/** Adds tasks with these descriptions in one commit each, without the limits of the API. */
async function addTasks({ storage, clock }: Crm, descriptions: readonly string[]): Promise<string[]> {
  const [template] = await storage.list(one.id, "task", {});
  assert.ok(template !== undefined);
  const ids = descriptions.map((_, index) => `0195aaaa-0000-7000-8000-${String(index).padStart(12, "0")}`);
  for (const [index, description] of descriptions.entries()) {
    const id = ids[index] ?? "";
    await storage.commit(one.id, clock.now(), (at) => {
      const record = { ...template, id, description, createdAt: at, updatedAt: at };
      return [{ op: "insert", kind: "task", record }];
    });
  }
  return ids;
}

const storages: Readonly<Record<string, () => Promise<Storage> | Storage>> = {
  "the storage": freshStorage,
  "the memory storage": memoryStorage,
};

for (const [name, open] of Object.entries(storages)) {
  test(`GET /tasks from ${name} ends a page at 4 MiB and repeats or omits no record`, async () => {
    const crm = await openCrm({}, { storage: await open() });
    const ids = await addTasks(
      crm,
      Array.from({ length: 40 }, () => longest),
    );
    const pages = await readPages(crm, "limit=200");
    const shown = pages.flatMap(({ data }) => data.map(({ id }) => id));
    assert.deepEqual(shown.slice(-ids.length), ids);
    assert.equal(new Set(shown).size, shown.length);
    assert.deepEqual(
      pages.map(({ data }) => data.length),
      [shown.length - 40 + 15, 15, 10],
    );
    for (const { bytes } of pages) assert.ok(bytes < maxPageBytes + 1_000, `${bytes} bytes`);
    const [first] = pages;
    assert.equal(first?.headers.get("x-next-updated-since"), first?.data.at(-1)?.updatedAt);
    assert.equal(first?.headers.get("link"), `<?cursor=${first?.nextCursor}>; rel="next"`);
  });
}

test("GET /accounts returns a record over 4 MiB on a page of its own", async () => {
  const crm = await openCrm();
  const [template] = await crm.storage.list(one.id, "account", {});
  assert.ok(template !== undefined);
  const notes = ["short", "x".repeat(maxPageBytes + 1), "short", "é".repeat(maxPageBytes / 2), "short"];
  for (const [index, note] of notes.entries()) {
    const id = `0195aaaa-0000-7000-8000-${String(index).padStart(12, "0")}`;
    await crm.storage.commit(one.id, crm.clock.now(), (at) => {
      const record = { ...template, id, name: `Long ${index}`, customFields: { note }, createdAt: at, updatedAt: at };
      return [{ op: "insert", kind: "account", record }];
    });
  }
  const shown: string[][] = [];
  for (let query = "limit=200&updatedSince=2026-02-01T00:00:00Z"; ; ) {
    const { body } = await crm.call("GET", `/accounts?${query}`);
    const { data, nextCursor } = body as Page;
    shown.push(data.map(({ name }) => String(name)));
    if (nextCursor === null) break;
    query = `limit=200&cursor=${nextCursor}`;
  }
  assert.deepEqual(shown, [["Long 0"], ["Long 1"], ["Long 2"], ["Long 3"], ["Long 4"]]);
});

test("SQLite: listJson ends after the record that exceeds maxBytes, but not before the second", async () => {
  const crm = await openCrm({}, { storage: sqliteStorage({ file: ":memory:" }) });
  await addTasks(
    crm,
    Array.from({ length: 10 }, () => longest),
  );
  const lengthOf = async (maxBytes: number): Promise<number | undefined> =>
    (await crm.storage.listJson(one.id, "task", { maxBytes, limit: 100, updatedSince: crm.clock.now() })).length;
  const bytes = Buffer.byteLength(longest);
  assert.deepEqual([await lengthOf(1), await lengthOf(3.5 * bytes), await lengthOf(100 * bytes)], [2, 4, 10]);
});

test("GET /tasks with limit=200 reads at most 101 records at a time", async () => {
  const storage = memoryStorage();
  const limits: (number | undefined)[] = [];
  const counted = wrapStorage(storage, {
    list: async (tenant, kind, query) => {
      if (kind === "task") limits.push(query.limit);
      return storage.list(tenant, kind, query);
    },
  });
  const crm = await openCrm({}, { storage: counted });
  await addTasks(
    crm,
    Array.from({ length: 130 }, () => longest),
  );
  limits.length = 0;
  const page = await pageOf(crm, "limit=200");
  assert.deepEqual([page.data.length < 20, limits], [true, [101]]);
});

test("GET /tasks has only the newer version of a record that changes between two reads of one page", async () => {
  const storage = memoryStorage();
  let between: (() => Promise<void>) | undefined;
  const changing = wrapStorage(storage, {
    list: async (tenant, kind, query) => {
      const found = await storage.list(tenant, kind, query);
      const change = between;
      if (kind === "task") between = undefined;
      if (kind === "task") await change?.();
      return found;
    },
  });
  const crm = await openCrm({}, { storage: changing });
  const ids = await addTasks(
    crm,
    Array.from({ length: 199 }, (_, index) => `Task ${index}`),
  );
  const known = await storage.list(one.id, "task", {});
  const changed = known.find(({ id }) => id === ids[0]);
  assert.ok(changed !== undefined);
  const whole = (await readPages(crm, "limit=200")).flatMap(({ data }) => data.map(({ id }) => id));
  between = async () => {
    const write = (at: number): Write => {
      return {
        op: "update",
        kind: "task",
        record: { ...changed, title: "New", updatedAt: at },
        expectedUpdatedAt: changed.updatedAt,
      };
    };
    await storage.commit(one.id, crm.clock.now(), (at) => [write(at)]);
  };
  const { data, nextCursor } = await pageOf(crm, "limit=200");
  assert.equal(nextCursor, null);
  assert.deepEqual(
    data.map(({ id }) => id),
    [...whole.filter((id) => id !== changed.id), changed.id],
  );
  assert.equal(data.at(-1)?.title, "New");
});
