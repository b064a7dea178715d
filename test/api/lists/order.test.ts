import assert from "node:assert/strict";
import { test } from "node:test";
import { TooManyMatches, wrapStorage } from "../../../lib/index.ts";
import { insertWrite, newAccount } from "../../../lib/storage/contract/records.ts";
import { adminAuth, adminOf } from "../../support/admin.ts";
import { clientOf } from "../../support/client.ts";
import { dataOf, errorOf, one, openCrm, type Shown, two, verdict } from "../../support/crm.ts";
import type { Result } from "../../support/harness.ts";
import { freshStorage } from "../../support/storages.ts";

const crm = await openCrm({}, { adminAuth });
const { create, clock } = crm;
const admin = adminOf(crm, one.id, one.admin);

/** Sends a request as the integration, or as an admin to the set-up. */
function call(method: string, path: string, body?: unknown): Promise<Result> {
  if (!path.startsWith("/admin/")) return crm.call(method, path, body);
  clock.advance(1_000);
  return admin(method, path, body === undefined ? {} : { body });
}

type Page = { readonly data: readonly Shown[]; readonly nextCursor: string | null };

/** The fields of records in the order of their creation. */
const names = ["beta", "Alpha", "alpha 2", "Ådne", "zeta", "Zeta b", "_x", "😀", "\ufffd", '"'.repeat(200), "beta"];
const dueDates = ["2026-05-01T00:00:00.000Z", null, "2026-04-01T00:00:00.000Z", null, "2026-05-01T00:00:00.000Z"];
for (const [index, name] of names.entries()) {
  clock.advance(1_000);
  await create("/accounts", { name: `${name} ${index}`, externalId: "listed" });
  await create("/contacts", { name, phone: "55012345" });
  await create("/opportunities", { name });
  await create("/tasks", { title: name, dueDate: dueDates[index % dueDates.length] ?? null });
}
for (const [index, name] of ["beta", "Alpha", "alpha 2", "Zeta", "_x"].entries()) {
  const field = { key: `key_${index}`, label: name, type: "text" };
  const setUp: Readonly<Record<string, unknown>> = {
    users: { name, email: `${index}@order.test` },
    pipelines: { name, stages: [{ name }] },
    "custom-fields": { entity: "account", ...field },
    rules: { entity: "opportunity", field: ["amount", "accountId", "contactIds", "externalId", "ownerId"][index] },
    integrations: { name, scopes: [] },
    grants: { userId: one.member },
  };
  for (const [list, body] of Object.entries(setUp)) dataOf(await call("POST", `/admin/${list}`, body), 201);
}

const orders: Readonly<Record<string, readonly string[]>> = {
  "/accounts": ["updatedAt", "createdAt", "name"],
  "/contacts": ["updatedAt", "createdAt", "name"],
  "/opportunities": ["updatedAt", "createdAt", "name"],
  "/tasks": ["updatedAt", "createdAt", "dueDate"],
  "/admin/users": ["updatedAt", "createdAt", "name"],
  "/admin/pipelines": ["updatedAt", "createdAt", "name"],
  "/admin/stages": ["updatedAt", "createdAt", "name"],
  "/admin/custom-fields": ["updatedAt", "createdAt"],
  "/admin/rules": ["updatedAt", "createdAt"],
  "/admin/integrations": ["updatedAt", "createdAt", "name"],
  "/admin/grants": ["updatedAt", "createdAt"],
};

const changes: Readonly<Record<string, unknown>> = {
  "/tasks": { title: "Changed" },
  "/admin/custom-fields": { label: "Changed" },
  "/admin/rules": { field: "expectedCloseDate" },
  "/admin/grants": { userId: one.admin },
};
for (const path of Object.keys(orders)) {
  const [first] = dataOf<Shown[]>(await call("GET", `${path}?limit=1`));
  clock.advance(1_000);
  dataOf(await call("PATCH", `${path}/${first?.id}`, changes[path] ?? { name: "changed" }));
}

/** Compares as the documentation says, and not as the storage does. */
function compare(field: string, a: Shown, b: Shown): number {
  const keyOf = (record: Shown): readonly number[] => {
    const value = record[field] as string | null;
    if (field !== "name") return [value === null ? Number.POSITIVE_INFINITY : Date.parse(value)];
    const points = [...String(value)].slice(0, 64).map((character) => character.codePointAt(0) ?? 0);
    return points.map((point) => (point >= 65 && point <= 90 ? point + 32 : point));
  };
  const [left, right] = [keyOf(a), keyOf(b)];
  for (const [index, key] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (key !== other) return key < other ? -1 : 1;
  }
  return left.length - right.length || (a.id < b.id ? -1 : 1);
}

async function pagesOf(path: string, query: string): Promise<readonly Result[]> {
  const pages: Result[] = [];
  for (let next = query; ; ) {
    const page = await call("GET", `${path}?${next}`);
    pages.push(page);
    const { nextCursor } = page.body as Page;
    if (nextCursor === null) return pages;
    assert.ok(pages.length < 50);
    next = `cursor=${nextCursor}`;
  }
}

for (const [path, fields] of Object.entries(orders)) {
  test(`GET ${path} returns every record once in each order, with any page size`, async () => {
    const all = dataOf<Shown[]>(await call("GET", `${path}?limit=200`));
    assert.ok(all.length >= 5);
    for (const field of fields) {
      for (const order of [field, `-${field}`]) {
        const sorted = all.toSorted((a, b) => compare(field, a, b));
        const expected = order === field ? sorted : sorted.toReversed();
        for (const limit of [1, 3, 200]) {
          const pages = await pagesOf(path, `order=${order}&limit=${limit}`);
          const read = pages.flatMap((page) => (page.body as Page).data);
          assert.deepEqual(read, expected, `${order} ${limit}`);
        }
      }
    }
  });

  test(`GET ${path} has a watermark and a Link only in the order updatedAt`, async () => {
    for (const order of fields.flatMap((field) => [field, `-${field}`])) {
      const { headers } = await call("GET", `${path}?order=${order}&limit=1`);
      const found = ["x-next-updated-since", "link"].map((name) => headers.has(name));
      assert.deepEqual(found, order === "updatedAt" ? [true, true] : [false, false], order);
    }
    const [plain, explicit] = [
      await call("GET", `${path}?limit=1`),
      await call("GET", `${path}?limit=1&order=updatedAt`),
    ];
    assert.equal(explicit.text, plain.text);
  });

  test(`GET ${path} rejects a cursor of another order`, async () => {
    const all = ["", ...fields.flatMap((field) => [field, `-${field}`])];
    for (const made of all) {
      const first = await call("GET", `${path}?limit=1${made && `&order=${made}`}`);
      const { nextCursor } = first.body as Page;
      for (const then of all.slice(1)) {
        clock.advance(1_000);
        const next = await call("GET", `${path}?cursor=${nextCursor}&order=${then}`);
        if (then === (made || "updatedAt")) assert.equal(next.status, 200);
        else {
          assert.equal(verdict(next), "400 invalid_cursor", `${made} ${then}`);
          assert.deepEqual(errorOf(next).details, { parameter: "order" });
        }
      }
    }
  });
}

test("an order combines with filters, words, updatedSince and archived records", async () => {
  const list = async (query: string) => dataOf<Shown[]>(await call("GET", query));
  const contacts = await list("/contacts?q=alp&order=-name");
  assert.deepEqual(
    contacts.map(({ name }) => name),
    ["alpha 2", "Alpha"],
  );
  const byPhone = await list("/contacts?phone=55012345&order=-createdAt&limit=1");
  assert.deepEqual(
    byPhone.map(({ name }) => name),
    ["beta"],
  );
  const since = (await list("/tasks?limit=200")).at(-2)?.updatedAt;
  const changed = await list(`/tasks?updatedSince=${since}&order=dueDate`);
  assert.equal(changed.length, 2);
  const pages = await pagesOf("/accounts", "externalId=listed&order=name&limit=2&includeArchived=true");
  const read = pages.flatMap((page) => (page.body as Page).data);
  assert.deepEqual(
    read,
    read.toSorted((a, b) => compare("name", a, b)),
  );
  assert.equal(read.length, names.length);
});

test("a cursor of the order name continues with the longest names and filters", async () => {
  const name = '"\\'.repeat(32);
  const fields = { externalId: "あ".repeat(255), phone: "5".repeat(200), ownerId: one.admin };
  const ids = [];
  for (const index of [1, 2]) ids.push((await create("/contacts", { ...fields, name: `${name}${index}` })).id);
  const filters = { ...fields, ids: ids.join(), updatedSince: "2020-01-01T00:00:00.000Z", includeArchived: "false" };
  const query = new URLSearchParams({ ...filters, order: "name" });
  const { nextCursor } = (await call("GET", `/contacts?${query}&limit=1`)).body as Page;
  assert.match(nextCursor ?? "", /^[A-Za-z0-9_-]{1,1536}$/);
  const next = dataOf<Shown[]>(await call("GET", `/contacts?cursor=${nextCursor}&${query}`));
  assert.deepEqual(
    next.map(({ id }) => id),
    [ids[1]],
  );
});

test("a list rejects an order that it doesn't have, and names those that it has", async () => {
  for (const [path, allowed] of [
    ["/tasks", "updatedAt, -updatedAt, createdAt, -createdAt, dueDate, -dueDate"],
    ["/accounts", "updatedAt, -updatedAt, createdAt, -createdAt, name, -name"],
    ["/admin/users", "updatedAt, -updatedAt, createdAt, -createdAt, name, -name"],
    ["/admin/rules", "updatedAt, -updatedAt, createdAt, -createdAt"],
  ] as const) {
    for (const order of [
      allowed.includes("name") ? "dueDate" : "name",
      "id",
      "+name",
      "--name",
      "name,createdAt",
      "NAME",
    ]) {
      const rejected = await call("GET", `${path}?order=${encodeURIComponent(order)}`);
      assert.equal(verdict(rejected), "400 validation_error: ?order not_an_option");
      assert.match(errorOf(rejected).message, new RegExp(allowed));
    }
  }
});

test("a list in another order says what to do if too many records match", async () => {
  const storage = wrapStorage(await freshStorage(), {
    async listJson() {
      throw new TooManyMatches();
    },
  });
  const full = await openCrm({}, { storage, adminAuth });
  const byOrder = await full.call("GET", "/tasks?status=pending&order=dueDate");
  assert.equal(verdict(byOrder), "422 validation_error: ?order out_of_range");
  assert.match(
    errorOf(byOrder).message,
    /^order can't be dueDate for more than 5,000 records. Add a filter, or use updatedAt or -updatedAt.$/,
  );
  const fullAdmin = adminOf(full, one.id, one.admin);
  const advice = "order can't be createdAt for more than 5,000 records. Add a filter";
  for (const [path, then] of [
    ["/accounts?ownerId=0199c0a1-2b3c-7d4e-8f50-617283940a1b&order=createdAt", ", remove all filters, or use"],
    ["/admin/stages?order=createdAt", ", or use"],
  ] as const) {
    const rejected = await (path.startsWith("/admin/") ? fullAdmin : full.call)("GET", path);
    assert.equal(verdict(rejected), "422 validation_error: ?order out_of_range");
    assert.equal(errorOf(rejected).message, `${advice}${then} updatedAt or -updatedAt.`);
  }
  const byWords = await full.call("GET", "/accounts?q=a&order=name");
  assert.equal(verdict(byWords), "422 validation_error: ?q out_of_range");
  assert.match(errorOf(byWords).message, /^q matches more than 5,000 records. Use more or longer words.$/);
});

test("the client lists in an order, page by page", async () => {
  const client = clientOf(crm, one.key);
  const read: (string | null)[] = [];
  for await (const { dueDate } of client.tasks.list({ order: "-dueDate", limit: 2 }).records()) read.push(dueDate);
  assert.equal(read.length, dataOf<Shown[]>(await call("GET", "/tasks?limit=200")).length);
  assert.deepEqual(
    read.filter(Boolean),
    read
      .filter((date) => date !== null)
      .sort()
      .reverse(),
  );
});

test("a list by name has no record of another tenant with the same ID", async () => {
  const { id } = await create("/accounts", { name: "Shared ID", externalId: "shared" });
  await crm.storage.commit(two.id, clock.now(), (at) => [
    insertWrite("account", newAccount(id, at, { name: "Of tenant two", externalId: "shared" })),
  ]);
  const found = dataOf<Shown[]>(await call("GET", "/accounts?order=name&externalId=shared"));
  assert.deepEqual(
    found.map(({ name }) => name),
    ["Shared ID"],
  );
});
