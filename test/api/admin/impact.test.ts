import assert from "node:assert/strict";
import { test } from "node:test";
import { type Storage, wrapStorage } from "../../../lib/index.ts";
import { idOf, insertWrite, newTask } from "../../../lib/storage/contract/records.ts";
import { adminAuth, adminOf } from "../../support/admin.ts";
import { one, openCrm, owner, sales, service, two, unknown } from "../../support/crm.ts";
import type { Result } from "../../support/harness.ts";
import { freshStorage } from "../../support/storages.ts";

type Impact = {
  readonly missing: number;
  readonly checked: number;
  readonly complete: boolean;
  readonly sample: readonly { readonly id: string; readonly name: string }[];
};

async function open(wrap = (storage: Storage): Storage => storage) {
  const crm = await openCrm({}, { adminAuth, storage: wrap(await freshStorage()) });
  const admin = adminOf(crm, one.id, owner);
  const impactOf = (query: string) => admin("GET", `/admin/impact?${query}`);
  const create = async (path: string, bodies: readonly object[]): Promise<void> => {
    for (const body of bodies) assert.equal((await crm.call("POST", path, body)).status, 201);
  };
  return { ...crm, admin, impactOf, create };
}

function impactIn({ status, body, text }: Result): Impact {
  assert.equal(status, 200, text);
  return (body as { data: Impact }).data;
}

function errorsIn({ status, body }: Result): readonly unknown[] {
  const { details } = (body as { error: { details: { errors: { path: string; code: string }[] } } }).error;
  return [status, ...details.errors.map(({ path, code }) => `${path} ${code}`)];
}

test("GET /admin/impact counts the records that lack a field, and returns the first ten", async () => {
  const { impactOf, create, call } = await open();
  const names = Array.from({ length: 12 }, (_, index) => ({ name: `Firm ${index}` }));
  const before = impactIn(await impactOf("entity=account&field=phone"));
  await create("/accounts", [
    ...names,
    { name: "With phone", phone: "+49 30 1" },
    { name: "Without phone", phone: "" },
  ]);
  const { data } = (await call("GET", "/accounts?limit=200")).body as { data: { id: string; name: string }[] };
  await call("DELETE", `/accounts/${data.find(({ name }) => name === "Firm 0")?.id}`);
  const { missing, checked, complete, sample } = impactIn(await impactOf("entity=account&field=phone"));
  assert.deepEqual([missing - before.missing, checked - before.checked, complete], [12, 13, true]);
  assert.equal(sample.length, 10);
  for (const { id, name } of sample) assert.equal(data.find((account) => account.id === id)?.name, name);
});

test("GET /admin/impact names a note by the first line of its text", async () => {
  const { impactOf, create, call } = await open();
  const { data } = (await call("GET", "/accounts?limit=1")).body as { data: { id: string }[] };
  const relatedTo = { type: "account", id: data[0]?.id };
  await create("/notes", [{ body: `${"ä".repeat(300)}\nSecond line`, relatedTo }]);
  const { sample } = impactIn(await impactOf("entity=note&field=externalId"));
  assert.equal(sample.at(-1)?.name, "ä".repeat(255));
});

test("GET /admin/impact counts empty custom fields as missing", async () => {
  const { impactOf, create } = await open();
  const count = async () => impactIn(await impactOf("entity=contact&field=customFields.lines")).missing;
  const before = await count();
  await create("/contacts", [
    { name: "A" },
    { name: "B", customFields: { lines: [] } },
    { name: "C", customFields: { lines: ["Filter"] } },
  ]);
  assert.equal((await count()) - before, 2);
});

test("GET /admin/impact counts only opportunities in the stages and statuses", async () => {
  const { impactOf, create } = await open();
  const count = async (query: string) => {
    const { missing, checked } = impactIn(await impactOf(`entity=opportunity&field=amount&${query}`));
    return [missing, checked];
  };
  assert.deepEqual(await count(`stageIds=${sales.offer}`), [0, 0]);
  await create("/opportunities", [
    { name: "A", stageId: sales.offer },
    { name: "B", stageId: sales.offer, amount: 3 },
    { name: "C", stageId: sales.offer, status: "won" },
    { name: "D", stageId: service.survey, status: "won", amount: 0 },
  ]);
  const repeated = `stageIds=${sales.offer},${sales.offer.toUpperCase()},${service.survey}`;
  assert.deepEqual(await count(repeated), [2, 4]);
  assert.deepEqual(await count(`stageIds=${sales.offer},${service.survey}&statuses=won`), [1, 2]);
  const [missing = 0, checked = 0] = await count("statuses=won");
  const [allMissing = 0, allChecked = 0] = await count("statuses=won,lost,open");
  assert.deepEqual([missing >= 1, checked >= 2, allMissing > missing, allChecked > checked], [true, true, true, true]);
});

test("GET /admin/impact reads at most 10,000 records and says so", async () => {
  const { impactOf, storage, clock } = await open();
  for (let from = 0; from < 10_001; from += 1_000) {
    const count = Math.min(1_000, 10_001 - from);
    await storage.commit(one.id, clock.now(), (at) =>
      Array.from({ length: count }, (_, index) => insertWrite("task", newTask(idOf(9, from + index), at))),
    );
  }
  const { missing, complete } = impactIn(await impactOf("entity=task&field=dueDate"));
  assert.deepEqual([missing, complete], [10_000, false]);
  assert.equal(impactIn(await impactOf("entity=contact&field=phone")).complete, true);
});

test("GET /admin/impact reads long records in parts of 1 MiB, and lets other requests run after each", async () => {
  const reads: number[] = [];
  let turn = 0;
  const turns = new Set<number>();
  const measure = <T>(kind: string, found: readonly T[]): readonly T[] => {
    if (kind === "task") reads.push(Buffer.byteLength(JSON.stringify(found)));
    if (kind === "task") turns.add(turn);
    return found;
  };
  const { impactOf, storage, clock } = await open((base) =>
    wrapStorage(base, {
      list: async (tenant, kind, query) => measure(kind, await base.list(tenant, kind, query)),
      listJson: async (tenant, kind, query) => measure(kind, await base.listJson(tenant, kind, query)),
    }),
  );
  const description = "x".repeat(65_536);
  await storage.commit(one.id, clock.now(), (at) =>
    Array.from({ length: 100 }, (_, index) => insertWrite("task", { ...newTask(idOf(8, index), at), description })),
  );
  let isRunning = true;
  const countTurns = (): void => {
    turn++;
    if (isRunning) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const { missing, checked, complete } = impactIn(await impactOf("entity=task&field=dueDate"));
  isRunning = false;
  assert.deepEqual([missing >= 100, checked >= 100, complete], [true, true, true]);
  assert.ok(Math.max(...reads) < 1.1 * 1024 * 1024, `${Math.max(...reads)} bytes in one read`);
  assert.deepEqual([turns.size, reads.length > 5], [reads.length, true]);
});

test("GET /admin/impact reads at most 64 MiB and says so", async () => {
  const long = JSON.stringify({
    ...newTask(idOf(8, 1), 1),
    description: "x".repeat(1_000_000),
    updatedAt: new Date(1),
  });
  let reads = 0;
  const { impactOf } = await open((base) =>
    wrapStorage(base, {
      async listJson() {
        reads++;
        return [long, long];
      },
    }),
  );
  const { checked, complete } = impactIn(await impactOf("entity=task&field=dueDate"));
  assert.equal(complete, false);
  assert.ok(checked < 70, `${checked} records`);
  assert.equal(reads, checked / 2);
});

test("GET /admin/impact returns every error of the rule that it describes", async () => {
  const { impactOf } = await open();
  const cases: readonly (readonly [query: string, expected: readonly unknown[]])[] = [
    ["entity=account&field=nonsense", [422, "?field not_found"]],
    ["entity=account&field=customFields.nonsense", [422, "?field not_found"]],
    ["entity=account&field=phone&statuses=won", [422, "?stageIds not_an_option"]],
    [`entity=opportunity&field=x&stageIds=${unknown}`, [422, "?field not_found", "?stageIds not_found"]],
    ["entity=lead&stageIds=1", [400, "?entity not_an_option", "?field required", "?stageIds invalid_format"]],
    ["entity=opportunity&field=amount&statuses=", [400, "?statuses not_an_option"]],
  ];
  for (const [query, expected] of cases) assert.deepEqual(errorsIn(await impactOf(query)), expected, query);
});

test("GET /admin/impact needs an admin of the tenant", async () => {
  const crm = await open();
  const query = "/admin/impact?entity=account&field=phone";
  assert.equal((await adminOf(crm, one.id, one.member)("GET", query)).status, 403);
  const others = impactIn(await adminOf(crm, two.id, two.admin)("GET", query));
  await crm.create("/accounts", [{ name: "Only here" }]);
  assert.deepEqual(impactIn(await adminOf(crm, two.id, two.admin)("GET", query)), others);
});
