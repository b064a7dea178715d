import assert from "node:assert/strict";
import { type AnyRecord, type Kind, models } from "../../model/kinds.ts";
import { type Model, polymorphic } from "../../model/model.ts";
import { type Storage, type Write, WriteConflict } from "../storage.ts";
import { fullTenant, insertAll } from "./full-tenant.ts";
import type { Tests } from "./harness.ts";
import { commitNow, createTenant, idOf, insert, newAccount, newContact, newTask, startTime } from "./records.ts";

const kinds = Object.keys(models) as Kind[];

/** All that a tenant has. */
async function contentOf(storage: Storage, tenant: string): Promise<unknown> {
  return Promise.all(kinds.map((kind) => storage.list(tenant, kind, { includeArchived: true })));
}

/** All writes of a commit or none, and no commit at the cost of another. */
export function commitContract({ test }: Tests): void {
  test("a commit whose third write is in conflict leaves nothing of the first two", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const kept = newAccount(idOf(1, 1), startTime + 1, { name: "Acme" });
    await storage.commit(tenant, startTime + 1, () => [insert("account", kept)]);
    const before = await contentOf(storage, tenant);
    const refused = storage.commit(tenant, startTime + 2, (at) => [
      {
        op: "update",
        kind: "account",
        record: { ...kept, name: "Changed", updatedAt: at },
        expectedUpdatedAt: kept.updatedAt,
      },
      insert("task", newTask(idOf(1, 2), at)),
      insert("account", newAccount(idOf(1, 1), at)),
      insert("task", newTask(idOf(1, 3), at)),
    ]);
    await assert.rejects(refused, WriteConflict);
    assert.deepEqual(await contentOf(storage, tenant), before);
    assert.equal(
      await commitNow(storage, tenant, startTime, (at) => [insert("task", newTask(idOf(1, 2), at))]),
      startTime + 2,
    );
  });

  test("what a proposal throws refuses the commit and comes back as the same error", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const before = await contentOf(storage, tenant);
    for (const error of [new RangeError("mine"), new WriteConflict("stale", "task", "id", idOf(1, 1)), "a text"]) {
      const refused = storage.commit(tenant, startTime, () => {
        throw error;
      });
      await assert.rejects(refused, (thrown) => thrown === error);
      assert.deepEqual(await contentOf(storage, tenant), before);
    }
  });

  test("a proposal without writes changes nothing", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const before = await contentOf(storage, tenant);
    assert.equal(await storage.commit(tenant, startTime + 1000, () => []), undefined);
    assert.deepEqual(await contentOf(storage, tenant), before);
  });

  test("nothing is kept for a tenant that does not exist", async (storage) => {
    const tenant = idOf(1, 0);
    await assert.rejects(storage.commit(tenant, startTime, (at) => [insert("task", newTask(idOf(1, 1), at))]));
    assert.deepEqual(
      await contentOf(storage, tenant),
      kinds.map(() => []),
    );
  });

  test("a reference to a record of another tenant, or to none, is refused and leaves nothing", async (storage) => {
    const [tenant, other] = [idOf(1, 0), idOf(2, 0)];
    await storage.commit(tenant, startTime, () => insertAll(fullTenant(1, startTime)));
    await storage.commit(other, startTime, () => insertAll(fullTenant(2, startTime)));
    const before = await contentOf(storage, tenant);
    // With references of its own each record is let in: what is refused then is the task after it.
    for (const write of writesReferringTo((kind) => fullTenant(1, startTime)[kind][0]?.id)) {
      const refused = storage.commit(tenant, startTime + 1, (at) => [
        write.make(at),
        insert("task", newTask(idOf(1, 23), at)),
      ]);
      await assert.rejects(refused, { name: "WriteConflict", kind: "task", field: "id" }, write.name);
    }
    for (const stranger of [(kind: Kind) => fullTenant(2, startTime)[kind][0]?.id, () => idOf(1, 99)]) {
      for (const write of writesReferringTo(stranger)) {
        const good = (at: number) => insert("task", newTask(idOf(1, 98), at));
        await assert.rejects(
          storage.commit(tenant, startTime + 1, (at) => [good(at), write.make(at)]),
          write.name,
        );
        assert.deepEqual(await contentOf(storage, tenant), before, write.name);
      }
    }
  });

  test("a reference to a record that is only made afterwards is refused: within a commit, and among commits started together", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const [account, contact] = [idOf(1, 2), idOf(1, 3)];
    const early = (at: number) => insert("contact", newContact(contact, at, { accountId: account }));
    const late = (at: number) => insert("account", newAccount(account, at));
    await assert.rejects(storage.commit(tenant, startTime + 1, (at) => [early(at), late(at)]));
    assert.deepEqual(await storage.list(tenant, "account", {}), []);
    const outcomes = await Promise.allSettled(
      [(at: number) => insert("task", newTask(idOf(1, 1), at)), early, late].map((make) =>
        storage.commit(tenant, startTime + 1, (at) => [make(at)]),
      ),
    );
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    assert.deepEqual(await storage.list(tenant, "contact", {}), []);
    await storage.commit(tenant, startTime + 2, (at) => [early(at)]);
  });

  test("of commits started together those that conflict are refused and all others are kept", async (storage) => {
    const [one, two] = [await createTenant(storage, 1), await createTenant(storage, 2)];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) => {
        // Every third name is taken by the commit before; every fifth proposal throws; tenants take turns.
        const name = `Name ${index % 3 === 2 ? index - 2 : index}`;
        return storage.commit(index % 2 === 0 ? one : two, startTime + 1, (at) => {
          if (index % 5 === 4) throw new Error(`number ${index}`);
          const again = index % 6 === 5 ? idOf(1, index - 2) : idOf(1, index);
          return [insert("task", newTask(idOf(3, index), at)), insert("account", newAccount(again, at, { name }))];
        });
      }),
    );
    const model = new Set<string>();
    const kept: number[][] = [[], []];
    for (const [index, { status }] of outcomes.entries()) {
      const names = [`${index % 2} Name ${index % 3 === 2 ? index - 2 : index}`];
      names.push(`${index % 2} ${index % 6 === 5 ? index - 2 : index}`);
      const expected = index % 5 !== 4 && !names.some((name) => model.has(name));
      assert.equal(status, expected ? "fulfilled" : "rejected", `commit ${index}`);
      if (!expected) continue;
      for (const name of names) model.add(name);
      kept[index % 2]?.push(index);
    }
    for (const [side, tenant] of [one, two].entries()) {
      const tasks = await storage.list(tenant, "task", {});
      assert.deepEqual(
        tasks.map(({ id }) => id),
        kept[side]?.map((index) => idOf(3, index)),
      );
    }
  });
}

/** For every field that refers to something: a new record in which it refers to this. */
function writesReferringTo(idOfKind: (kind: Kind) => string | undefined) {
  return kinds.flatMap((kind) => {
    const bare = fullTenant(1, startTime)[kind][1] as AnyRecord | undefined;
    const own = kind === "apiKey" ? { hash: "f".repeat(64) } : {};
    return Object.entries((models[kind] as Model).fields).flatMap(([field, { reference, column }]) => {
      if (reference === undefined) return [];
      const related = (["account", "contact", "opportunity"] as const).map((type) => ({ type, id: idOfKind(type) }));
      const single = (): unknown => (column === "links" ? [idOfKind(reference as Kind)] : idOfKind(reference as Kind));
      return (reference === polymorphic ? related : [single()]).map((value) => {
        const record = { ...bare, ...own, id: idOf(1, 97), [field]: value };
        const make = (at: number) => ({ op: "insert", kind, record: { ...record, updatedAt: at } }) as unknown as Write;
        return { name: `${kind}.${field} = ${JSON.stringify(value)}`, make };
      });
    });
  });
}
