import assert from "node:assert/strict";
import { type AnyRecord, type Kind, models } from "../../model/kinds.ts";
import { type Model, polymorphic } from "../../model/model.ts";
import { type Storage, type Write, WriteConflict } from "../storage.ts";
import { fullTenant, insertAll } from "./full-tenant.ts";
import type { TestFunctions } from "./harness.ts";
import { createTenant, idOf, insertWrite, newAccount, newContact, newTask, startTime, updateWrite } from "./records.ts";

const kinds = Object.keys(models) as Kind[];

/** Returns all records of a tenant. */
async function contentOf(storage: Storage, tenant: string): Promise<unknown> {
  return Promise.all(kinds.map((kind) => storage.list(tenant, kind, { includeArchived: true })));
}

/** Declares the tests of atomicity, references and concurrent commits. */
export function commitContract({ test }: TestFunctions): void {
  test("commit() writes nothing if its third write conflicts", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const stored = newAccount(idOf(1, 1), startTime + 1, { name: "Acme" });
    await storage.commit(tenant, startTime + 1, () => [insertWrite("account", stored)]);
    const before = await contentOf(storage, tenant);
    const commit = storage.commit(tenant, startTime + 2, (at) => [
      updateWrite("account", stored, { name: "Changed", updatedAt: at }),
      insertWrite("task", newTask(idOf(1, 2), at)),
      insertWrite("account", newAccount(idOf(1, 1), at)),
      insertWrite("task", newTask(idOf(1, 3), at)),
    ]);
    await assert.rejects(commit, WriteConflict);
    assert.deepEqual(await contentOf(storage, tenant), before);
  });

  test("commit() rejects with the error that propose throws, and writes nothing", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const before = await contentOf(storage, tenant);
    for (const error of [new RangeError("mine"), new WriteConflict("stale", "task", "id", idOf(1, 1)), "a text"]) {
      const commit = storage.commit(tenant, startTime, () => {
        throw error;
      });
      await assert.rejects(commit, (thrown) => thrown === error);
      assert.deepEqual(await contentOf(storage, tenant), before);
    }
  });

  test("commit() rejects writes to a tenant that doesn't exist", async (storage) => {
    const tenant = idOf(1, 0);
    await assert.rejects(storage.commit(tenant, startTime, (at) => [insertWrite("task", newTask(idOf(1, 1), at))]));
    assert.deepEqual(
      await contentOf(storage, tenant),
      kinds.map(() => []),
    );
  });

  test("commit() rejects a reference to a missing record or to a record of another tenant, and writes nothing", async (storage) => {
    const [tenant, other] = [idOf(1, 0), idOf(2, 0)];
    await storage.commit(tenant, startTime, () => insertAll(fullTenant(1, startTime)));
    await storage.commit(other, startTime, () => insertAll(fullTenant(2, startTime)));
    const before = await contentOf(storage, tenant);
    // With references to its own tenant, each record is valid. The duplicate task after it causes the conflict.
    for (const write of writesReferringTo((kind) => fullTenant(1, startTime)[kind][0]?.id)) {
      const commit = storage.commit(tenant, startTime + 1, (at) => [
        write.make(at),
        insertWrite("task", newTask(idOf(1, 23), at)),
      ]);
      await assert.rejects(commit, { name: "WriteConflict", kind: "task", field: "id" }, write.name);
    }
    for (const findId of [(kind: Kind) => fullTenant(2, startTime)[kind][0]?.id, () => idOf(1, 99)]) {
      for (const write of writesReferringTo(findId)) {
        const good = (at: number) => insertWrite("task", newTask(idOf(1, 98), at));
        await assert.rejects(
          storage.commit(tenant, startTime + 1, (at) => [good(at), write.make(at)]),
          (error) => !(error instanceof WriteConflict),
          write.name,
        );
        assert.deepEqual(await contentOf(storage, tenant), before, write.name);
      }
    }
  });

  test("commit() rejects a reference to a record that is inserted later, in the same commit or in a concurrent one", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const [account, contact] = [idOf(1, 2), idOf(1, 3)];
    const early = (at: number) => insertWrite("contact", newContact(contact, at, { accountId: account }));
    const late = (at: number) => insertWrite("account", newAccount(account, at));
    await assert.rejects(storage.commit(tenant, startTime + 1, (at) => [early(at), late(at)]));
    assert.deepEqual(await storage.list(tenant, "account", {}), []);
    const outcomes = await Promise.allSettled(
      [(at: number) => insertWrite("task", newTask(idOf(1, 1), at)), early, late].map((make) =>
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

  test("of concurrent commits, those that conflict are rejected and all others succeed", async (storage) => {
    const [one, two] = [await createTenant(storage, 1), await createTenant(storage, 2)];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) => {
        // Every third name is a duplicate, every fifth proposal throws, and the tenants alternate.
        const name = `Name ${index % 3 === 2 ? index - 2 : index}`;
        return storage.commit(index % 2 === 0 ? one : two, startTime + 1, (at) => {
          if (index % 5 === 4) throw new Error(`number ${index}`);
          const again = index % 6 === 5 ? idOf(1, index - 2) : idOf(1, index);
          return [
            insertWrite("task", newTask(idOf(3, index), at)),
            insertWrite("account", newAccount(again, at, { name })),
          ];
        });
      }),
    );
    const model = new Set<string>();
    const stored: number[][] = [[], []];
    for (const [index, { status }] of outcomes.entries()) {
      const names = [`${index % 2} Name ${index % 3 === 2 ? index - 2 : index}`];
      names.push(`${index % 2} ${index % 6 === 5 ? index - 2 : index}`);
      const expected = index % 5 !== 4 && !names.some((name) => model.has(name));
      assert.equal(status, expected ? "fulfilled" : "rejected", `commit ${index}`);
      if (!expected) continue;
      for (const name of names) model.add(name);
      stored[index % 2]?.push(index);
    }
    for (const [side, tenant] of [one, two].entries()) {
      const tasks = await storage.list(tenant, "task", {});
      assert.deepEqual(
        tasks.map(({ id }) => id),
        stored[side]?.map((index) => idOf(3, index)),
      );
    }
  });
}

/** Returns, for each reference field, an insert of a record in which the field references the given ID. */
function writesReferringTo(idOfKind: (kind: Kind) => string | undefined) {
  return kinds.flatMap((kind) => {
    const template = fullTenant(1, startTime)[kind][1] as AnyRecord | undefined;
    const unique = kind === "apiKey" ? { hash: "f".repeat(64) } : {};
    return Object.entries((models[kind] as Model).fields).flatMap(([field, { reference, column }]) => {
      if (reference === undefined) return [];
      const related = (["account", "contact", "opportunity"] as const).map((type) => ({ type, id: idOfKind(type) }));
      const single = (): unknown => (column === "links" ? [idOfKind(reference as Kind)] : idOfKind(reference as Kind));
      return (reference === polymorphic ? related : [single()]).map((value) => {
        const record = { ...template, ...unique, id: idOf(1, 97), [field]: value };
        const make = (at: number) => ({ op: "insert", kind, record: { ...record, updatedAt: at } }) as unknown as Write;
        return { name: `${kind}.${field} = ${JSON.stringify(value)}`, make };
      });
    });
  });
}
