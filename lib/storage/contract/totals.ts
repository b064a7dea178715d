import assert from "node:assert/strict";
import type { Storage } from "../storage.ts";
import type { TestFunctions } from "./harness.ts";
import { baseFields, createTenant, idOf, insertWrite, newAccount, newOpportunity, startTime } from "./records.ts";

type Fields = Partial<Parameters<typeof newOpportunity>[2]>;

/** Creates a tenant with two stages, and an opportunity for each of the fields. Each has its own commit. */
async function fill(storage: Storage, number: number, opportunities: readonly Fields[]): Promise<string> {
  const tenant = await createTenant(storage, number);
  const id = (index: number): string => idOf(number, index);
  const rest = { isDefault: true, lostReasons: [], requireLostReason: false };
  await storage.commit(tenant, startTime, (at) => [
    insertWrite("pipeline", { name: "Sales", ...rest, ...baseFields(id(1), at) }),
    insertWrite("stage", { name: "New", pipelineId: id(1), order: 1, probability: null, ...baseFields(id(2), at) }),
    insertWrite("stage", { name: "Late", pipelineId: id(1), order: 2, probability: null, ...baseFields(id(3), at) }),
  ]);
  for (const [index, fields] of opportunities.entries()) {
    await storage.commit(tenant, startTime, (at) => {
      const placed = { pipelineId: id(1), stageId: id(2), ...fields };
      return [insertWrite("opportunity", newOpportunity(id(10 + index), at, placed))];
    });
  }
  return tenant;
}

/** Declares the tests of `count` and `openTotals`. */
export function totalsContract({ test }: TestFunctions): void {
  test("count() returns the number of records, up to the maximum, and whether there are more", async (storage) => {
    const tenants = [await createTenant(storage, 1), await createTenant(storage, 2)];
    for (const [index, tenant] of tenants.entries()) {
      await storage.commit(tenant, startTime, (at) =>
        Array.from({ length: 5 + index }, (_, number) =>
          insertWrite("account", newAccount(idOf(1, number), at, number === 2 ? { archivedAt: at } : {})),
        ),
      );
    }
    const [tenant = "", other = ""] = tenants;
    const counts = [2, 3, 4, 5].map((max) => storage.count(tenant, "account", {}, max));
    const exact = (count: number) => ({ count, isMinimum: false });
    assert.deepEqual(await Promise.all(counts), [
      { count: 2, isMinimum: true },
      { count: 3, isMinimum: true },
      exact(4),
      exact(4),
    ]);
    assert.deepEqual(await storage.count(tenant, "account", { includeArchived: true }, 5), exact(5));
    assert.deepEqual(await storage.count(other, "account", {}, 9), exact(5));
    assert.deepEqual(await storage.count(tenant, "task", {}, 9), exact(0));
    assert.deepEqual(await storage.count(idOf(9, 0), "account", {}, 9), exact(0));
    // The position, the order and the limit don't matter.
    const sort = { by: "name", descending: true } as const;
    const after = { updatedAt: startTime + 9, id: idOf(1, 9) };
    assert.deepEqual(await storage.count(tenant, "account", { after, limit: 1 }, 9), exact(4));
    assert.deepEqual(await storage.count(tenant, "account", { sort, limit: 1 }, 9), exact(4));
    assert.deepEqual(await storage.count(tenant, "account", { updatedSince: startTime + 9 }, 9), exact(0));
  });

  test("openTotals() adds up the open opportunities by stage and currency", async (storage) => {
    const stageId = idOf(1, 3);
    const opportunities: readonly Fields[] = [
      { amount: 10.5, currency: "EUR" },
      { amount: -0.25, currency: "EUR" },
      { amount: 7, currency: "USD" },
      {},
      { amount: 100, currency: "EUR", status: "won", closedAt: startTime },
      { amount: 100, currency: "EUR", archivedAt: startTime },
      { stageId, amount: 1.5e300, currency: "EUR" },
      { stageId, currency: "EUR" },
    ];
    const tenant = await fill(storage, 1, opportunities);
    const other = await fill(storage, 2, [{ amount: 1, currency: "NOK" }]);
    const read = async (of: string, max = 100) => {
      const totals = await storage.openTotals(of, max);
      const rows = totals.map(({ pipelineId, stageId, currency, count, amount }) => {
        return `${pipelineId === idOf(1, 1) || pipelineId === idOf(2, 1)} ${stageId.at(-1)} ${currency} ${count} ${amount}`;
      });
      return rows.sort();
    };
    const late = "true 3 EUR 2 1.5e+300";
    assert.deepEqual(await read(tenant), ["true 2 EUR 2 10.25", "true 2 USD 1 7", "true 2 null 1 0", late]);
    assert.deepEqual(await read(tenant, 3), ["true 2 null 1 0", late]);
    assert.deepEqual(await read(other), ["true 2 NOK 1 1"]);
    assert.deepEqual(await read(idOf(9, 0)), []);
  });

  test("openTotals() doesn't fail if a sum is too large for a number", async (storage) => {
    const most = { amount: 9e307, currency: "EUR" };
    const tenant = await fill(storage, 1, [most, most, most]);
    const [total] = await storage.openTotals(tenant, 10);
    assert.deepEqual([total?.count, total?.amount], [3, Number.POSITIVE_INFINITY]);
  });
}
