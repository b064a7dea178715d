import assert from "node:assert/strict";
import { test } from "node:test";
import { type Storage, wrapStorage } from "../../../lib/index.ts";
import { dataOf, errorOf, one, openCrm, sales, service, two, verdict } from "../../support/crm.ts";
import { freshStorage } from "../../support/storages.ts";

type Counts = Readonly<Record<string, unknown>>;

test("GET /counts returns the number of records, and the open opportunities by stage", async () => {
  const { call, create, send } = await openCrm();
  const before = dataOf<Counts>(await call("GET", "/counts"));
  const read = async () => dataOf<Counts>(await call("GET", "/counts"));
  const accounts = (before.accounts as { count: number }).count;
  const account = await create("/accounts", { name: "Counted" });
  assert.deepEqual((await read()).accounts, { count: accounts + 1, isMinimum: false });
  await call("DELETE", `/accounts/${account.id}`);
  assert.deepEqual((await read()).accounts, { count: accounts, isMinimum: false });
  const stage = { pipelineId: service.id, stageId: service.survey };
  for (const fields of [
    { amount: 0.1, currency: "EUR" },
    { amount: 0.2, currency: "EUR" },
    { amount: 5, currency: "NOK" },
    {},
  ])
    await create("/opportunities", { name: "Open", ...stage, ...fields });
  await create("/opportunities", { name: "Won", ...stage, amount: 9, currency: "EUR", status: "won" });
  const { openOpportunities } = await read();
  const open = openOpportunities as readonly { stageId: string }[];
  assert.deepEqual(
    open.find(({ stageId }) => stageId === service.survey),
    {
      ...stage,
      count: 4,
      isMinimum: false,
      amounts: [
        { currency: "EUR", sum: 0.3 },
        { currency: "NOK", sum: 5 },
      ],
    },
  );
  assert.deepEqual(
    open.map(({ stageId }) => stageId),
    open.map(({ stageId }) => stageId).sort(),
  );
  const other = dataOf<Counts>(await send("GET", "/counts", { key: two.key }));
  assert.equal((other.openOpportunities as readonly unknown[]).length <= 1, true);
});

test("GET /counts returns 10,000 as a minimum if there are more", async () => {
  const maxima: number[] = [];
  const total = (count: number) => ({
    pipelineId: sales.id,
    stageId: sales.lead,
    currency: "EUR",
    count,
    amount: 1e308,
  });
  const methods: Partial<Storage> = {
    count: async (_, kind, _query, max) => ({ count: max, isMinimum: kind !== "task" }),
    async openTotals(_, max) {
      maxima.push(max);
      return [total(max - 1), { ...total(1), currency: null, amount: 0 }];
    },
  };
  const { call } = await openCrm({}, { storage: wrapStorage(await freshStorage(), methods) });
  const counts = dataOf<Counts>(await call("GET", "/counts"));
  assert.deepEqual(
    [counts.accounts, counts.tasks],
    [
      { count: 10_000, isMinimum: true },
      { count: 10_000, isMinimum: false },
    ],
  );
  assert.deepEqual(counts.openOpportunities, [
    {
      pipelineId: sales.id,
      stageId: sales.lead,
      count: 10_000,
      isMinimum: true,
      amounts: [{ currency: "EUR", sum: 1e308 }],
    },
  ]);
  assert.deepEqual(maxima, [10_001, 10_000]);
});

test("GET /counts leaves out what the API key can't read, and needs one scope", async () => {
  const readAs = async (...scopes: readonly string[]) => {
    const { send } = await openCrm({ "/integrations/1/scopes": scopes });
    return send("GET", "/counts", { key: one.readKey });
  };
  for (const [scopes, members] of [
    [["tasks:read"], ["tasks"]],
    [
      ["opportunities:read", "accounts:write"],
      ["opportunities", "openOpportunities"],
    ],
  ] as const) {
    assert.deepEqual(Object.keys(dataOf<Counts>(await readAs(...scopes))), members);
  }
  const rejected = await readAs("pipelines:read", "tasks:write");
  assert.equal(verdict(rejected), "403 insufficient_scope");
  assert.match(String(errorOf(rejected).details?.required), /accounts:read .*tasks:read/);
});

function countIn({ headers }: { readonly headers: Headers }): readonly (string | null)[] {
  return ["x-total-count", "x-total-count-minimum"].map((name) => headers.get(name));
}

test("a list with count=true has the number of records that match its filters, on all pages, in its headers", async () => {
  const { call, create, send } = await openCrm();
  const pageOf = async (query: string) => {
    const page = await call("GET", query);
    assert.equal(page.status, 200, page.text);
    const { data, nextCursor } = page.body as { data: readonly { id: string }[]; nextCursor: string | null };
    assert.deepEqual(Object.keys(page.body as object), ["data", "nextCursor"]);
    return { data, nextCursor, count: countIn(page) };
  };
  const exact = (count: number) => [String(count), null];
  const stage = { pipelineId: service.id, stageId: service.survey };
  for (const name of ["Counted one", "Counted two", "Counted three"])
    await create("/opportunities", { name, ...stage });
  const archived = await create("/opportunities", { name: "Counted four", ...stage });
  await call("DELETE", `/opportunities/${archived.id}`);
  const filter = `stageId=${service.survey}&status=open`;
  const first = await pageOf(`/opportunities?${filter}&limit=2&count=true`);
  assert.deepEqual([first.data.length, first.count], [2, exact(3)]);
  assert.deepEqual((await pageOf(`/opportunities?${filter}&count=false`)).count, [null, null]);
  // The count isn't a filter of the cursor.
  const cursor = `/opportunities?cursor=${first.nextCursor}`;
  assert.deepEqual((await pageOf(cursor)).count, [null, null]);
  assert.deepEqual((await pageOf(`${cursor}&count=true`)).count, exact(3));
  assert.deepEqual((await pageOf(`/opportunities?${filter}&count=true&includeArchived=true&limit=1`)).count, exact(4));
  assert.deepEqual((await pageOf("/opportunities?q=counted&count=true&order=-name&limit=1")).count, exact(3));
  const ids = first.data.map(({ id }) => id).join(",");
  assert.deepEqual((await pageOf(`/opportunities?ids=${ids}&count=true&limit=1`)).count, exact(2));
  for (const path of ["accounts", "contacts", "tasks", "notes"]) {
    const page = await pageOf(`/${path}?count=true&limit=200`);
    assert.deepEqual(page.count, exact(page.data.length), path);
  }
  const other = await send("GET", `/opportunities?${filter}&count=true`, { key: two.key });
  assert.deepEqual(countIn(other), exact(0));
  assert.equal(verdict(await call("GET", "/tasks?count=yes")), "400 validation_error: ?count not_an_option");
  assert.equal(verdict(await call("GET", "/users?count=true")), "400 validation_error: ?count unknown_key");
  assert.equal(verdict(await call("GET", "/events?count=true")), "400 validation_error: ?count unknown_key");
});

test("a list with count=true examines at most 10,000 records", async () => {
  const queries: unknown[] = [];
  const count: Storage["count"] = async (_tenant, _kind, { where }, max) => {
    queries.push(where, max);
    return { count: 312, isMinimum: true };
  };
  const { call } = await openCrm({}, { storage: wrapStorage(await freshStorage(), { count }) });
  const page = await call("GET", "/tasks?status=canceled&count=true");
  assert.deepEqual(countIn(page), ["312", "true"]);
  assert.deepEqual(queries, [{ status: "canceled" }, 10_000]);
});
