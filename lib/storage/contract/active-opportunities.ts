import assert from "node:assert/strict";
import type { Records } from "../../model/kinds.ts";
import type { Storage } from "../storage.ts";
import type { TestFunctions } from "./harness.ts";
import {
  baseFields,
  createTenant,
  idOf,
  insertWrite,
  newAccount,
  newContact,
  newOpportunity,
  startTime,
} from "./records.ts";

/**
 * Creates a tenant with three contacts, one of them archived, and seven opportunities in different states.
 * @param idNumber the number in the IDs of its records
 */
async function fill(storage: Storage, number: number, idNumber = number): Promise<string> {
  const tenant = await createTenant(storage, number);
  const id = (index: number): string => idOf(idNumber, index);
  const stage = { pipelineId: id(1), stageId: id(2) };
  const rest = { isDefault: true, lostReasons: [], requireLostReason: false };
  await storage.commit(tenant, startTime, (at) => [
    insertWrite("pipeline", { name: `Sales ${number}`, ...rest, ...baseFields(id(1), at) }),
    insertWrite("stage", {
      name: `New ${number}`,
      pipelineId: id(1),
      order: 1,
      probability: null,
      ...baseFields(id(2), at),
    }),
    insertWrite("account", newAccount(id(3), at, { name: `Acme ${number}` })),
    insertWrite("contact", newContact(id(4), at, { email: "Carla@Acme.test" })),
    insertWrite("contact", newContact(id(5), at, { email: "dora@acme.test" })),
    insertWrite("contact", newContact(id(6), at, { email: "gone@acme.test", archivedAt: at })),
  ]);
  const opportunities: Partial<Records["opportunity"]>[] = [
    { contactIds: [id(4), id(5)], accountId: id(3), amount: 10.5, currency: "EUR" },
    { contactIds: [id(4)], expectedCloseDate: "2026-05-01" },
    { contactIds: [id(4)], status: "won", closedAt: startTime },
    { contactIds: [id(4)], archivedAt: startTime },
    { contactIds: [id(6)] },
    { contactIds: [] },
    { contactIds: [id(5), id(4)] },
  ];
  for (const [index, fields] of opportunities.entries()) {
    await storage.commit(tenant, startTime, (at) => [
      insertWrite("opportunity", newOpportunity(id(10 + index), at, { ...stage, ...fields })),
    ]);
  }
  return tenant;
}

/** Declares the tests of `activeOpportunities`. */
export function activeOpportunitiesContract({ test }: TestFunctions): void {
  test("activeOpportunities() returns the open opportunities of a contact, newest first, with the names of referenced records", async (storage) => {
    const tenant = await fill(storage, 1);
    const [contact, none] = await storage.activeOpportunities(tenant, ["carla@acme.test"], 50);
    const ids = contact?.opportunities.map(({ id }) => id);
    assert.deepEqual([contact?.emailKey, contact?.contactId, none], ["carla@acme.test", idOf(1, 4), undefined]);
    assert.deepEqual(ids, [idOf(1, 16), idOf(1, 11), idOf(1, 10)]);
    assert.deepEqual(contact?.opportunities.at(-1), {
      id: idOf(1, 10),
      name: `Opportunity ${idOf(1, 10)}`,
      accountId: idOf(1, 3),
      accountName: "Acme 1",
      pipelineId: idOf(1, 1),
      pipelineName: "Sales 1",
      stageId: idOf(1, 2),
      stageName: "New 1",
      status: "open",
      amount: 10.5,
      currency: "EUR",
      ownerId: null,
      expectedCloseDate: null,
      updatedAt: (await storage.get(tenant, "opportunity", idOf(1, 10)))?.updatedAt,
    });
  });

  test("activeOpportunities() returns at most `limit` opportunities per contact, and none of other tenants", async (storage) => {
    const [mine] = [await fill(storage, 1), await fill(storage, 2)];
    const keys = ["dora@acme.test", "carla@acme.test", "gone@acme.test", "unknown@acme.test"];
    const found = await storage.activeOpportunities(mine, keys, 1);
    const ids = found.map(({ contactId, opportunities }) => [contactId, opportunities.map(({ id }) => id)]);
    assert.deepEqual(ids.sort(), [
      [idOf(1, 4), [idOf(1, 16)]],
      [idOf(1, 5), [idOf(1, 16)]],
    ]);
    assert.deepEqual(await storage.activeOpportunities(mine, [], 50), []);
  });

  test("activeOpportunities() returns the names of a tenant's own records, although another tenant has the same IDs", async (storage) => {
    const tenants = [await fill(storage, 1), await fill(storage, 2, 1)];
    const names: unknown[] = [];
    for (const tenant of tenants) {
      const [contact] = await storage.activeOpportunities(tenant, ["carla@acme.test"], 50);
      const { accountName, pipelineName, stageName } = contact?.opportunities.at(-1) ?? {};
      names.push([accountName, pipelineName, stageName]);
    }
    assert.deepEqual(names, [
      ["Acme 1", "Sales 1", "New 1"],
      ["Acme 2", "Sales 2", "New 2"],
    ]);
  });
}
