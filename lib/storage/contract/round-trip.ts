import assert from "node:assert/strict";
import { type AnyRecord, type Kind, models } from "../../model/kinds.ts";
import type { Storage, Write } from "../storage.ts";
import { getAndCheckJson, listAndCheckJson } from "./checked-reads.ts";
import { fullTenant, insertAll, type TenantRecords } from "./full-tenant.ts";
import type { TestFunctions } from "./harness.ts";
import {
  commitNow,
  createTenant,
  idOf,
  insertWrite,
  newAccount,
  newContact,
  newOpportunity,
  startTime,
} from "./records.ts";

const kinds = Object.keys(models) as Kind[];

/** Declares the tests that each field is returned as it was written, and only to its tenant. */
export function roundTripContract({ test, reopenTest }: TestFunctions): void {
  test("get() and list() return every field of every kind as it was written", async (storage) => {
    const records = await fill(storage, 1);
    await assertStored(storage, 1, records);
  });

  reopenTest(
    "get() and list() return every field of every kind after the storage is reopened",
    async (storage, reopen) => {
      const records = await fill(storage, 1);
      await assertStored(await reopen(), 1, records);
    },
  );

  test("an update changes every field of every kind, to null and back", async (storage) => {
    const before = await fill(storage, 1);
    let writes: readonly Write[] = [];
    await commitNow(storage, idOf(1, 0), startTime, (at) => {
      writes = kinds.flatMap((kind) => swaps(kind, before[kind], at));
      return writes;
    });
    const after = kinds.map((kind) => [
      kind,
      writes.filter((write) => write.kind === kind).map(({ record }) => record),
    ]);
    await assertStored(storage, 1, Object.fromEntries(after) as unknown as TenantRecords);
  });

  test("the contacts of an opportunity keep their order", async (storage) => {
    const records = await fill(storage, 1);
    const tenant = idOf(1, 0);
    const [one, other] = records.contact.map(({ id }) => id) as [string, string];
    const [{ pipelineId, stageId }] = records.opportunity as [TenantRecords["opportunity"][0]];
    const id = idOf(1, 50);
    let expectedUpdatedAt = 0;
    for (const contactIds of [[other, one], [one, other], [other], [], [one]]) {
      await storage.commit(tenant, startTime, (at) => {
        const record = newOpportunity(id, at, { pipelineId, stageId, contactIds });
        return [
          expectedUpdatedAt === 0
            ? insertWrite("opportunity", record)
            : { op: "update", kind: "opportunity", record, expectedUpdatedAt },
        ];
      });
      const now = await getAndCheckJson(storage, tenant, "opportunity", id);
      assert.deepEqual(now?.contactIds, contactIds);
      expectedUpdatedAt = now.updatedAt;
    }
  });

  test("concurrent reads each return their own result", async (storage) => {
    const records = await fill(storage, 1);
    const tenant = idOf(1, 0);
    const ids = kinds.flatMap((kind) => [...records[kind].map(({ id }) => ({ kind, id })), { kind, id: idOf(9, 9) }]);
    const reads = Promise.all(ids.map(({ kind, id }) => storage.get(tenant, kind, id)));
    const lists = Promise.all(kinds.map((kind) => storage.list(tenant, kind, { includeArchived: true })));
    const expected = ids.map(({ kind, id }) => (records[kind] as AnyRecord[]).find((each) => each.id === id));
    assert.deepEqual(await reads, expected);
    for (const [index, list] of (await lists).entries()) {
      const written = records[kinds[index] as Kind] as readonly AnyRecord[];
      assert.deepEqual(new Set(list.map(({ id }) => id)), new Set(written.map(({ id }) => id)));
    }
  });

  test("get() and list() return nothing of another tenant", async (storage) => {
    const [mine, theirs] = [await fill(storage, 1), await fill(storage, 2)];
    await assertStored(storage, 1, mine);
    await assertStored(storage, 2, theirs);
    for (const kind of kinds) {
      const foreign = await Promise.all(theirs[kind].map(({ id }) => getAndCheckJson(storage, idOf(1, 0), kind, id)));
      assert.deepEqual(
        foreign,
        foreign.map(() => undefined),
        kind,
      );
      assert.deepEqual(await listAndCheckJson(storage, idOf(3, 0), kind, { includeArchived: true }), [], kind);
      // Events have no filters.
      for (const { id } of kind === "event" ? [] : theirs[kind]) {
        assert.deepEqual(
          await listAndCheckJson(storage, idOf(1, 0), kind, { includeArchived: true, where: { id } }),
          [],
          kind,
        );
      }
    }
  });

  test("two tenants can have the same IDs, names and email addresses", async (storage) => {
    for (const number of [1, 2]) {
      const tenant = await createTenant(storage, number);
      const mine = [
        newAccount(idOf(9, 1), startTime + 1, { name: "Same", phone: `${number}` }),
        newContact(idOf(9, 2), startTime + 1, { email: "same@crm.test", phone: `${number}`, accountId: idOf(9, 1) }),
      ] as const;
      await storage.commit(tenant, startTime + 1, () => [
        insertWrite("account", mine[0]),
        insertWrite("contact", mine[1]),
      ]);
      assert.deepEqual(await getAndCheckJson(storage, tenant, "account", idOf(9, 1)), mine[0]);
      assert.deepEqual(await listAndCheckJson(storage, tenant, "account", { where: { name: "same" } }), [mine[0]]);
      assert.deepEqual(await listAndCheckJson(storage, tenant, "contact", { where: { email: "same@crm.test" } }), [
        mine[1],
      ]);
    }
  });
}

async function fill(storage: Storage, tenant: number): Promise<TenantRecords> {
  const records = fullTenant(tenant, startTime);
  await storage.commit(idOf(tenant, 0), startTime, () => insertAll(records));
  return records;
}

/** Checks that exactly these records are stored. They have the same `updatedAt`, so lists are sorted by ID. */
async function assertStored(storage: Storage, tenant: number, stored: TenantRecords): Promise<void> {
  for (const kind of kinds) {
    const records = [...(stored[kind] as readonly AnyRecord[])].sort((a, b) => (a.id < b.id ? -1 : 1));
    const found = await Promise.all(records.map(({ id }) => getAndCheckJson(storage, idOf(tenant, 0), kind, id)));
    assert.deepEqual(found, records, `get ${kind}`);
    assert.deepEqual(
      await listAndCheckJson(storage, idOf(tenant, 0), kind, { includeArchived: true }),
      records,
      `list ${kind}`,
    );
  }
}

/** Returns updates that swap the fields of two records. Both become archived, so that unique values don't conflict. */
function swaps(kind: Kind, records: readonly AnyRecord[], at: number): Write[] {
  const [one, other = one] = records as readonly [AnyRecord, AnyRecord?];
  const identity = (record: AnyRecord) => ("hash" in record ? { id: record.id, hash: record.hash } : { id: record.id });
  return [[other, one] as const, [one, other] as const].slice(0, records.length).map(([from, to]) => {
    const record = { ...to, ...identity(from), updatedAt: at, archivedAt: at };
    return { op: "update", kind, record, expectedUpdatedAt: from.updatedAt } as unknown as Write;
  });
}
