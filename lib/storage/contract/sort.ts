import assert from "node:assert/strict";
import type { Kind } from "../../model/kinds.ts";
import { compareListed, matchWords, type RecordValues } from "../query-matching.ts";
import { maxSortedRecords, type Sort, type SortField, sortKey } from "../sort.ts";
import { type Query, type Storage, TooManyMatches } from "../storage.ts";
import { getAndCheckJson, listAndCheckJson } from "./checked-reads.ts";
import type { TestFunctions } from "./harness.ts";
import * as make from "./records.ts";

const { createTenant, idOf, insertWrite, startTime, updateWrite } = make;

/** Names that databases like to sort in other ways: by language, by UTF-16, or with all letters folded. */
const names = [
  ...["alpha", "Alpha", "ALPHA 2", "alpha-2", "Zoe", "_under", "~tilde", "[bracket", " space", "10", "9", "e\u0301"],
  ...["Éclair", "éclair", "straße", "STRASSE", "İstanbul", "ﬀ", "\ufffd last", "😀 after it", "日本", "'quote", "%_"],
  ...[`${"x".repeat(64)}b`, `${"X".repeat(64)}a`, `${"😀".repeat(64)}b`, `${"😀".repeat(64)}a`],
];
const dueDates = [null, startTime, startTime - 1, null, 253_402_300_799_999, -62_135_596_800_000, startTime, 0];

const fieldsOf: Readonly<Record<"account" | "contact" | "task" | "note" | "user" | "grant", readonly SortField[]>> = {
  account: ["updatedAt", "createdAt", "name"],
  contact: ["updatedAt", "createdAt", "name"],
  task: ["updatedAt", "createdAt", "dueDate"],
  note: ["updatedAt", "createdAt", "occurredAt"],
  user: ["createdAt", "name"],
  grant: ["createdAt"],
};

/** Filters that some of the records match. */
const filters: readonly Query[] = [
  {},
  { includeArchived: true },
  { updatedSince: startTime + 20 },
  { updatedSince: startTime + 20, includeArchived: true },
  {
    where: {
      ids: [5, 9, 1, 99, 105, 109, 101, 205, 209, 201, 305, 309, 301, 405, 409, 401, 505, 509, 501].map((index) =>
        idOf(1, index),
      ),
    },
  },
  { where: { externalId: "even" } },
  { where: { externalIds: ["odd", "none"] } },
  { where: { externalIds: ["odd", "even"] }, updatedSince: startTime + 12, includeArchived: true },
  { where: { externalId: "even" }, updatedSince: startTime + 12, includeArchived: true },
];

/**
 * Creates accounts, contacts, tasks, notes, users and grants. Every fifth is archived. Their creation isn't in the order of their
 * commits.
 */
async function fill(storage: Storage, number: number): Promise<string> {
  const tenant = await createTenant(storage, number);
  for (const [index, name] of names.entries()) {
    await storage.commit(tenant, startTime + index, (at) => {
      const times = { createdAt: startTime + ((index * 7) % 5), archivedAt: index % 5 === 4 ? at : null };
      const id = (kind: number): string => idOf(number, kind * 100 + ((index * 11) % names.length));
      const fields = { ...times, externalId: index % 2 === 0 ? "even" : "odd" };
      const dueDate = dueDates[index % dueDates.length] as number | null;
      return [
        insertWrite("account", make.newAccount(id(0), at, { ...fields, name: `${name} ${index}` })),
        insertWrite("contact", make.newContact(id(1), at, { ...fields, name: index % 3 === 0 ? "Same" : name })),
        insertWrite("task", make.newTask(id(2), at, { ...times, dueDate })),
        insertWrite("user", make.newUser(id(4), at, { ...fields, name, email: `${index}@crm.test` })),
        insertWrite("grant", { ...make.baseFields(id(5), at), ...times, userId: id(4) }),
        insertWrite(
          "note",
          make.newNote(id(3), at, { type: "account", id: id(0) }, { ...fields, occurredAt: dueDate ?? 0 }),
        ),
      ];
    });
  }
  return tenant;
}

function hasExternalId(kind: Kind): boolean {
  return kind !== "task" && kind !== "grant";
}

/** Reads a list in pages. */
async function readPages(storage: Storage, tenant: string, kind: Kind, query: Query, limit: number) {
  const read: RecordValues[] = [];
  // One page more than needed. A storage that doesn't exclude the position must not cause an endless loop.
  for (let pages = 0; pages <= names.length; pages++) {
    const page = await listAndCheckJson(storage, tenant, kind, { ...query, limit });
    if (page.length === 0) break;
    read.push(...(page as unknown as readonly RecordValues[]));
    const last = read.at(-1) as RecordValues;
    if (query.sort === undefined) query = { ...query, after: last };
    else {
      const after = { key: sortKey(query.sort.by, last[query.sort.by]), id: last.id };
      query = { ...query, sort: { ...query.sort, after } };
    }
  }
  return read;
}

/** Declares the tests of other orders of lists, and of lists of records with words. */
export function sortContract({ test }: TestFunctions): void {
  for (const [kind, fields] of Object.entries(fieldsOf) as [keyof typeof fieldsOf, readonly SortField[]][]) {
    for (const by of fields) {
      test(`list() of ${kind} records in both orders by ${by} returns each record once, with every filter and page size`, async (storage) => {
        const [tenant] = [await fill(storage, 1), await fill(storage, 2)];
        for (const descending of [false, true]) {
          const sort: Sort = { by, descending };
          for (const filter of filters) {
            if (!hasExternalId(kind) && (filter.where?.externalId ?? filter.where?.externalIds) !== undefined) continue;
            const query = { ...filter, sort };
            const expected = (await storage.list(tenant, kind, filter)) as unknown as RecordValues[];
            const sorted = expected.toSorted((a, b) => compareListed(query, a, b));
            assert.ok(sorted.length > 1, JSON.stringify(filter));
            for (const limit of [1, 4, 100])
              assert.deepEqual(
                await readPages(storage, tenant, kind, query, limit),
                sorted,
                `${JSON.stringify(query)} ${limit}`,
              );
          }
        }
      });
    }
  }

  test("list() sorts names by code point, without the case of A to Z, and puts tasks without a due date last", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const sorted = ["[", "_", "a", "B", "c", "é", "éa", "日", "\ufffd", "😀"];
    await storage.commit(tenant, startTime, (at) =>
      sorted.toReversed().map((name, index) => insertWrite("contact", make.newContact(idOf(1, index), at, { name }))),
    );
    const contacts = await storage.list(tenant, "contact", { sort: { by: "name", descending: false } });
    assert.deepEqual(
      contacts.map(({ name }) => name),
      sorted,
    );
    await storage.commit(tenant, startTime, (at) =>
      [null, 5, null, 3].map((dueDate, index) =>
        insertWrite("task", make.newTask(idOf(1, 50 + index), at, { dueDate })),
      ),
    );
    const tasks = async (descending: boolean) =>
      (await storage.list(tenant, "task", { sort: { by: "dueDate", descending } })).map(({ dueDate }) => dueDate);
    assert.deepEqual(
      [await tasks(false), await tasks(true)],
      [
        [3, 5, null, null],
        [null, null, 5, 3],
      ],
    );
  });

  test("list() with words returns the records that a search finds, in any order and with other filters", async (storage) => {
    const [tenant] = [await fill(storage, 1), await fill(storage, 2)];
    for (const words of [["alpha"], ["al", "2"], ["x"], ["strasse"], ["nothing"], ["same"]]) {
      for (const filter of filters) {
        for (const sort of [undefined, { by: "name", descending: true } as const]) {
          const query = { ...filter, words, ...(sort && { sort }) };
          const all = (await storage.list(tenant, "contact", { ...filter, includeArchived: false })) as never;
          const expected = (all as readonly RecordValues[])
            .filter((record) => matchWords(record, words) !== undefined)
            .sort((a, b) => compareListed(query, a, b));
          const exact = { count: expected.length, isMinimum: false };
          assert.deepEqual(await storage.count(tenant, "contact", query, 100), exact, JSON.stringify(query));
          for (const limit of [1, 100])
            assert.deepEqual(
              await readPages(storage, tenant, "contact", query, limit),
              expected,
              JSON.stringify(query),
            );
        }
      }
    }
    const found = await storage.list(tenant, "contact", { words: ["same"] });
    assert.ok(found.length > 3);
    const tasks = await storage.list(tenant, "task", { words: ["task"] });
    assert.ok(tasks.length > 0);
    assert.deepEqual(tasks, await storage.list(tenant, "task", {}));
    assert.deepEqual(await storage.list(tenant, "task", { words: ["tasks"] }), []);
  });

  test("list() in another order returns a renamed record at its new place", async (storage) => {
    const tenant = await fill(storage, 1);
    const sort: Sort = { by: "name", descending: false };
    const first = (await storage.list(tenant, "account", { sort, limit: 1 }))[0];
    assert.ok(first);
    await storage.commit(tenant, startTime + 100, (at) => [
      updateWrite("account", first, { name: "\u{10ffff}", updatedAt: at }),
    ]);
    const renamed = await getAndCheckJson(storage, tenant, "account", first.id);
    assert.deepEqual((await listAndCheckJson(storage, tenant, "account", { sort })).at(-1), renamed);
    assert.notEqual((await listAndCheckJson(storage, tenant, "account", { sort, limit: 1 }))[0]?.id, first.id);
  });

  test("list() sorts 5,000 matches, and may reject more with TooManyMatches", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const insert = (start: number, count: number) =>
      storage.commit(tenant, startTime, (at) =>
        Array.from({ length: count }, (_, index) =>
          insertWrite(
            "contact",
            make.newContact(idOf(1, start + index), at, { name: `Many ${start + index}`, externalId: "x" }),
          ),
        ),
      );
    for (let start = 0; start < maxSortedRecords; start += 500) await insert(start, 500);
    const queries: readonly Query[] = [
      { where: { externalIds: ["x", "y"] }, sort: { by: "name", descending: true }, limit: 2 },
      { where: { externalId: "x" }, sort: { by: "name", descending: true }, limit: 2 },
      { words: ["many"], sort: { by: "name", descending: true }, limit: 2 },
      { sort: { by: "name", descending: true }, limit: 2 },
      { updatedSince: 1, sort: { by: "name", descending: true }, limit: 2 },
    ];
    for (const query of queries) {
      const page = await listAndCheckJson(storage, tenant, "contact", query);
      assert.deepEqual(
        page.map(({ name }) => name),
        ["Many 999", "Many 998"],
        JSON.stringify(query),
      );
    }
    await insert(maxSortedRecords, 1);
    for (const query of queries) {
      for (const name of ["list", "listJson"] as const) {
        const result = await storage[name](tenant, "contact", query).catch((error: unknown) => error);
        if (!Array.isArray(result)) assert.ok(result instanceof TooManyMatches, String(result));
      }
    }
    const last = await storage.list(tenant, "contact", { sort: { by: "createdAt", descending: true }, limit: 1 });
    assert.equal(last[0]?.name, "Many 5000");
    const newest: Query = { where: { externalId: "x" }, sort: { by: "updatedAt", descending: true }, limit: 1 };
    assert.equal((await storage.list(tenant, "contact", newest))[0]?.name, "Many 5000");
  });
}
