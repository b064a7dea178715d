import assert from "node:assert/strict";
import { type AnyRecord, type Kind, models } from "../records/kinds.ts";
import type { Storage, Write } from "../storage.ts";
import { got, listed } from "./checked-reads.ts";
import { everything, insertsOf, type Lists } from "./full-tenant.ts";
import type { Tests } from "./harness.ts";
import { base, found, idOf, insert, newAccount, newContact, newOpportunity, put } from "./records.ts";

const kinds = Object.keys(models) as Kind[];

/** What is kept comes back as it was, and only to its tenant. */
export function recordContract({ test, reopenTest }: Tests): void {
  test("every field of every kind comes back from get and list as it was written", async (storage) => {
    const kept = await fill(storage, 1);
    await assertKept(storage, 1, kept);
  });

  reopenTest(
    "every field of every kind is still there after the storage was closed and opened",
    async (storage, reopen) => {
      const kept = await fill(storage, 1);
      await assertKept(await reopen(), 1, kept);
    },
  );

  test("every field of every kind can be changed by an update, from something to null and back", async (storage) => {
    const before = await fill(storage, 1);
    let writes: readonly Write[] = [];
    await put(storage, idOf(1, 0), base, (at) => {
      writes = kinds.flatMap((kind) => swaps(kind, before[kind], at));
      return writes;
    });
    const after = kinds.map((kind) => [
      kind,
      writes.filter((write) => write.kind === kind).map(({ record }) => record),
    ]);
    await assertKept(storage, 1, Object.fromEntries(after) as unknown as Lists);
  });

  test("the contacts of an opportunity keep their order through inserts and updates", async (storage) => {
    const kept = await fill(storage, 1);
    const tenant = idOf(1, 0);
    const [one, other] = kept.contact.map(({ id }) => id) as [string, string];
    const [{ pipelineId, stageId }] = kept.opportunity as [Lists["opportunity"][0]];
    const id = idOf(1, 50);
    let was = 0;
    for (const contactIds of [[other, one], [one, other], [other], [], [one]]) {
      await storage.commit(tenant, base, (at) => {
        const record = newOpportunity(id, at, { pipelineId, stageId, contactIds });
        return [was === 0 ? insert("opportunity", record) : { op: "update", kind: "opportunity", record, was }];
      });
      const now = await got(storage, tenant, "opportunity", id);
      assert.deepEqual(now?.contactIds, contactIds);
      was = now.updatedAt;
    }
  });

  test("reads that are asked at once have an answer each, that of what they asked", async (storage) => {
    const kept = await fill(storage, 1);
    const tenant = idOf(1, 0);
    const ids = kinds.flatMap((kind) => [...kept[kind].map(({ id }) => ({ kind, id })), { kind, id: idOf(9, 9) }]);
    const asked = Promise.all(ids.map(({ kind, id }) => storage.get(tenant, kind, id)));
    const lists = Promise.all(kinds.map((kind) => storage.list(tenant, kind, { archived: true })));
    const records = Promise.all(
      ids.map(async ({ kind, id }) => (kept[kind] as AnyRecord[]).find((each) => each.id === id)),
    );
    assert.deepEqual(await asked, await records);
    for (const [index, list] of (await lists).entries()) {
      const written = kept[kinds[index] as Kind] as readonly AnyRecord[];
      assert.deepEqual(new Set(list.map(({ id }) => id)), new Set(written.map(({ id }) => id)));
    }
  });

  test("get and list give nothing of another tenant, whatever the kind", async (storage) => {
    const [mine, theirs] = [await fill(storage, 1), await fill(storage, 2)];
    await assertKept(storage, 1, mine);
    await assertKept(storage, 2, theirs);
    for (const kind of kinds) {
      const foreign = await Promise.all(theirs[kind].map(({ id }) => got(storage, idOf(1, 0), kind, id)));
      assert.deepEqual(
        foreign,
        foreign.map(() => undefined),
        kind,
      );
      assert.deepEqual(await listed(storage, idOf(3, 0), kind, { archived: true }), [], kind);
      for (const { id } of theirs[kind]) {
        assert.deepEqual(await listed(storage, idOf(1, 0), kind, { archived: true, where: { id } }), [], kind);
      }
    }
  });

  test("two tenants may have the same ids, names and e-mail addresses", async (storage) => {
    for (const number of [1, 2]) {
      const tenant = await found(storage, number);
      const mine = [
        newAccount(idOf(9, 1), base + 1, { name: "Same", phone: `${number}` }),
        newContact(idOf(9, 2), base + 1, { email: "same@crm.test", phone: `${number}`, accountId: idOf(9, 1) }),
      ] as const;
      await storage.commit(tenant, base + 1, () => [insert("account", mine[0]), insert("contact", mine[1])]);
      assert.deepEqual(await got(storage, tenant, "account", idOf(9, 1)), mine[0]);
      assert.deepEqual(await listed(storage, tenant, "account", { where: { name: "same" } }), [mine[0]]);
      assert.deepEqual(await listed(storage, tenant, "contact", { where: { email: "same@crm.test" } }), [mine[1]]);
    }
  });

  test("what is not there is undefined", async (storage) => {
    const tenant = await found(storage, 1);
    const none = await Promise.all(kinds.map((kind) => got(storage, tenant, kind, idOf(1, 99))));
    assert.deepEqual(
      none,
      kinds.map(() => undefined),
    );
  });
}

async function fill(storage: Storage, tenant: number): Promise<Lists> {
  const kept = everything(tenant, base);
  await storage.commit(idOf(tenant, 0), base, () => insertsOf(kept));
  return kept;
}

/** All of these have one `updatedAt`, so that lists have them by id. */
async function assertKept(storage: Storage, tenant: number, kept: Lists): Promise<void> {
  for (const kind of kinds) {
    const records = [...(kept[kind] as readonly AnyRecord[])].sort((a, b) => (a.id < b.id ? -1 : 1));
    const alone = await Promise.all(records.map(({ id }) => got(storage, idOf(tenant, 0), kind, id)));
    assert.deepEqual(alone, records, `get ${kind}`);
    assert.deepEqual(await listed(storage, idOf(tenant, 0), kind, { archived: true }), records, `list ${kind}`);
  }
}

/** Both records, each with the fields of the other; archived, so that they may share names for a moment. */
function swaps(kind: Kind, records: readonly AnyRecord[], at: number): Write[] {
  const [one, other = one] = records as readonly [AnyRecord, AnyRecord?];
  const own = (record: AnyRecord) => ("hash" in record ? { id: record.id, hash: record.hash } : { id: record.id });
  return [[other, one] as const, [one, other] as const].slice(0, records.length).map(([from, to]) => {
    const record = { ...to, ...own(from), updatedAt: at, archivedAt: at };
    return { op: "update", kind, record, was: from.updatedAt } as unknown as Write;
  });
}
