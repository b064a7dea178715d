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
    count: async (_, kind, max) => Math.min(max, kind === "task" ? 10_000 : 12_000),
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
