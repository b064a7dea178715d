import assert from "node:assert/strict";
import type { Records } from "../../model/kinds.ts";
import { type Storage, type Write, WriteConflict } from "../storage.ts";
import type { TestFunctions } from "./harness.ts";
import * as make from "./records.ts";

const { startTime, createTenant, idOf, insertWrite, newAccount, newContact, newTask, newUser, updateWrite } = make;
const id = (index: number): string => idOf(1, index);

const duplicate = (kind: string, field: string, index: number) => ({ reason: "duplicate", kind, field, id: id(index) });
const stale = (kind: string, index: number) => ({ reason: "stale", kind, field: "id", id: id(index) });

/** Returns the fields of the conflict. Fails if the commit succeeds. */
async function conflictOf(storage: Storage, propose: (at: number) => readonly Write[]): Promise<unknown> {
  try {
    await storage.commit(id(0), startTime + 50, propose);
  } catch (error) {
    assert.ok(error instanceof WriteConflict, `${error}`);
    const { reason, kind, field, id } = error;
    return { reason, kind, field, id };
  }
  assert.fail("The commit was not rejected.");
}

/** Creates account 1 "Acme", account 2 "Gone" (archived), contact 3 and user 4 with email addresses, and task 5. */
async function createRecords(storage: Storage) {
  await createTenant(storage, 1);
  const records = {
    acme: newAccount(id(1), startTime + 1, { name: "Acme" }),
    gone: newAccount(id(2), startTime + 1, { name: "Gone", archivedAt: startTime + 1 }),
    carla: newContact(id(3), startTime + 1, { email: "carla@crm.test" }),
    ana: newUser(id(4), startTime + 1, { email: "ana@crm.test" }),
    task: newTask(id(5), startTime + 1),
  };
  await storage.commit(id(0), startTime + 1, () => [
    insertWrite("account", records.acme),
    insertWrite("account", records.gone),
    insertWrite("contact", records.carla),
    insertWrite("user", records.ana),
    insertWrite("task", records.task),
  ]);
  return records;
}

/** Declares the tests of WriteConflict. */
export function conflictContract({ test }: TestFunctions): void {
  test("commit() rejects an insert with an existing ID as duplicate, even of an archived record", async (storage) => {
    await createRecords(storage);
    const again = (index: number) => (at: number) => [
      insertWrite("account", newAccount(id(index), at, { name: "New" })),
    ];
    assert.deepEqual(await conflictOf(storage, again(1)), duplicate("account", "id", 1));
    assert.deepEqual(await conflictOf(storage, again(2)), duplicate("account", "id", 2));
    const task = await conflictOf(storage, (at) => [insertWrite("task", newTask(id(5), at))]);
    assert.deepEqual(task, duplicate("task", "id", 5));
    const same = await conflictOf(storage, (at) => [insertWrite("account", newAccount(id(1), at, { name: "Acme" }))]);
    assert.deepEqual(same, duplicate("account", "id", 1));
    const tenant = await conflictOf(storage, (at) => [
      insertWrite("tenant", { name: "Again", ...make.baseFields(id(0), at) }),
    ]);
    assert.deepEqual(tenant, duplicate("tenant", "id", 0));
    const insertTwice = (at: number) => [
      insertWrite("task", newTask(id(9), at)),
      insertWrite("task", newTask(id(9), at)),
    ];
    assert.deepEqual(await conflictOf(storage, insertTwice), duplicate("task", "id", 9));
  });

  test("commit() accepts a unique value that an earlier write of the same commit removes, but not a later one", async (storage) => {
    const { carla } = await createRecords(storage);
    const removeEmail = (updatedAt: number) => updateWrite("contact", carla, { email: null, updatedAt });
    const useEmail = (at: number) => insertWrite("contact", newContact(id(9), at, { email: carla.email }));
    assert.deepEqual(
      await conflictOf(storage, (at) => [useEmail(at), removeEmail(at)]),
      duplicate("contact", "email", 3),
    );
    assert.equal(await storage.get(id(0), "contact", id(9)), undefined);
    await storage.commit(id(0), startTime + 60, (at) => [removeEmail(at), useEmail(at)]);
    const addresses = (await storage.list(id(0), "contact", {})).map(({ id, email }) => [id, email]);
    assert.deepEqual(addresses, [
      [carla.id, null],
      [id(9), carla.email],
    ]);
  });

  test("commit() rejects a unique value of another record as duplicate, compared after normalization", async (storage) => {
    const { carla, ana, acme } = await createRecords(storage);
    const [other, third] = [newAccount(id(6), startTime + 2, { name: "Other" }), newContact(id(7), startTime + 2)];
    const last = newUser(id(8), startTime + 2);
    await storage.commit(id(0), startTime + 2, () => [
      insertWrite("account", other),
      insertWrite("contact", third),
      insertWrite("user", last),
    ]);
    const cases: readonly (readonly [(at: number) => Write, unknown])[] = [
      [(at) => insertWrite("account", newAccount(id(9), at, { name: " ＡＣＭＥ " })), duplicate("account", "name", 1)],
      [(updatedAt) => updateWrite("account", other, { name: "aCME", updatedAt }), duplicate("account", "name", 1)],
      [(at) => insertWrite("account", newAccount(id(9), at, { name: "Ac\u200bme" })), duplicate("account", "name", 1)],
      [
        (at) => insertWrite("contact", newContact(id(9), at, { email: " CARLA@crm.test" })),
        duplicate("contact", "email", 3),
      ],
      [
        (updatedAt) => updateWrite("contact", third, { email: carla.email, updatedAt }),
        duplicate("contact", "email", 3),
      ],
      [
        (at) => insertWrite("contact", newContact(id(9), at, { email: "carla@\uff43rm.test" })),
        duplicate("contact", "email", 3),
      ],
      [(at) => insertWrite("user", newUser(id(9), at, { email: "ANA@CRM.TEST" })), duplicate("user", "email", 4)],
      [(at) => insertWrite("user", newUser(id(9), at, { email: "a\u00adna@crm.test" })), duplicate("user", "email", 4)],
      [(updatedAt) => updateWrite("user", last, { email: ana.email, updatedAt }), duplicate("user", "email", 4)],
    ];
    for (const [write, expected] of cases) assert.deepEqual(await conflictOf(storage, (at) => [write(at)]), expected);
    const both = (at: number) => [insertWrite("account", newAccount(id(9), at, { name: "X" }))];
    const insertTwice = (at: number) => [...both(at), insertWrite("account", newAccount(id(10), at, { name: "x" }))];
    assert.deepEqual(await conflictOf(storage, insertTwice), duplicate("account", "name", 9));
    const insertInvisible = (at: number) => [
      insertWrite("account", newAccount(id(9), at, { name: "\u200b" })),
      insertWrite("account", newAccount(id(10), at, { name: "\u2060" })),
    ];
    assert.deepEqual(await conflictOf(storage, insertInvisible), duplicate("account", "name", 9));
    assert.deepEqual(await storage.list(id(0), "account", {}), [acme, other]);
  });

  test("a record doesn't conflict with itself, and several contacts can have no email address", async (storage) => {
    const { acme } = await createRecords(storage);
    await storage.commit(id(0), startTime + 2, (at) => [
      updateWrite("account", acme, { name: "ACME", updatedAt: at }),
      insertWrite("contact", newContact(id(7), at)),
      insertWrite("contact", newContact(id(8), at)),
    ]);
    assert.deepEqual(await storage.get(id(0), "account", id(1)), { ...acme, name: "ACME", updatedAt: startTime + 2 });
  });

  test("the name of an archived record can be used again, and then the record can't be restored", async (storage) => {
    const { gone } = await createRecords(storage);
    const successor = newAccount(id(6), startTime + 2, { name: "GONE" });
    await storage.commit(id(0), startTime + 2, () => [insertWrite("account", successor)]);
    const restore = (updatedAt: number) => [updateWrite("account", gone, { archivedAt: null, updatedAt })];
    assert.deepEqual(await conflictOf(storage, restore), duplicate("account", "name", 6));
    assert.deepEqual(await storage.get(id(0), "account", id(2)), gone);
    const rename = { archivedAt: null, name: "Back", updatedAt: startTime + 3 };
    await storage.commit(id(0), startTime + 3, () => [updateWrite("account", gone, rename)]);
    assert.deepEqual(await storage.get(id(0), "account", id(2)), { ...gone, ...rename });
  });

  test("commit() rejects an update of another version or of a missing record as stale", async (storage) => {
    const { acme, task } = await createRecords(storage);
    const from = (version: number) => (updatedAt: number) => [
      updateWrite("task", { ...task, updatedAt: version }, { title: "Lost", updatedAt }),
    ];
    for (const version of [startTime, startTime + 2, 0])
      assert.deepEqual(await conflictOf(storage, from(version)), stale("task", 5));
    const absent = newTask(id(9), startTime + 1);
    const updateMissing = (updatedAt: number) => [updateWrite("task", absent, { updatedAt })];
    assert.deepEqual(await conflictOf(storage, updateMissing), stale("task", 9));
    const otherKind: Records["task"] = { ...task, id: id(1) };
    assert.deepEqual(
      await conflictOf(storage, (at) => [updateWrite("task", otherKind, { updatedAt: at })]),
      stale("task", 1),
    );
    await storage.commit(idOf(2, 0), startTime, (at) => [
      insertWrite("tenant", { name: "Two", ...make.baseFields(idOf(2, 0), at) }),
    ]);
    const foreign = storage.commit(idOf(2, 0), startTime + 9, (at) => [
      updateWrite("account", acme, { updatedAt: at }),
    ]);
    await assert.rejects(foreign, { name: "WriteConflict", reason: "stale", kind: "account", id: id(1) });
    assert.deepEqual(await storage.get(id(0), "task", id(5)), task);
  });

  test("of two concurrent updates of a version, one succeeds and the other is stale", async (storage) => {
    const { task } = await createRecords(storage);
    const change = (title: string) =>
      storage.commit(id(0), startTime + 2, (updatedAt) => [updateWrite("task", task, { title, updatedAt })]);
    const [one, two] = await Promise.allSettled([change("One"), change("Two")]);
    assert.deepEqual([one.status, two.status].sort(), ["fulfilled", "rejected"]);
    const title = one.status === "fulfilled" ? "One" : "Two";
    assert.deepEqual(await storage.get(id(0), "task", id(5)), { ...task, title, updatedAt: startTime + 2 });
  });

  test("an archived record with the ID and name of other records is a duplicate of the ID, not of the name", async (storage) => {
    await createRecords(storage);
    const record = (at: number) => newAccount(id(2), at, { name: "Acme", archivedAt: at });
    const got = await conflictOf(storage, (at) => [insertWrite("account", record(at))]);
    assert.deepEqual(got, duplicate("account", "id", 2));
  });

  test("a stale update with a duplicate name is reported as stale", async (storage) => {
    const { acme } = await createRecords(storage);
    const other = newAccount(id(6), startTime + 2, { name: "Other" });
    await storage.commit(id(0), startTime + 2, () => [insertWrite("account", other)]);
    const staleRecord = { ...other, updatedAt: startTime + 1 };
    const rename = (updatedAt: number) => [updateWrite("account", staleRecord, { name: acme.name, updatedAt })];
    assert.deepEqual(await conflictOf(storage, rename), stale("account", 6));
  });

  test("a stale update with a missing reference is reported as stale", async (storage) => {
    const { carla } = await createRecords(storage);
    const staleRecord = { ...carla, accountId: id(99), updatedAt: startTime };
    const move = (updatedAt: number) => [updateWrite("contact", staleRecord, { updatedAt })];
    assert.deepEqual(await conflictOf(storage, move), stale("contact", 3));
    const [pipelineId, stageId] = [id(10), id(11)];
    const sale = make.newOpportunity(id(12), startTime + 2, { pipelineId, stageId });
    const pipeline = { name: "Sales", isDefault: true, lostReasons: [], requireLostReason: false };
    await storage.commit(id(0), startTime + 2, (at) => [
      insertWrite("pipeline", { ...pipeline, ...make.baseFields(pipelineId, at) }),
      insertWrite("stage", { pipelineId, name: "New", order: 1, probability: null, ...make.baseFields(stageId, at) }),
      insertWrite("opportunity", sale),
    ]);
    const staleSale = { ...sale, contactIds: [id(99)], updatedAt: startTime };
    const linked = (updatedAt: number) => [updateWrite("opportunity", staleSale, { updatedAt })];
    assert.deepEqual(await conflictOf(storage, linked), stale("opportunity", 12));
  });

  test("a write is checked after the earlier writes of its commit", async (storage) => {
    const { acme, task } = await createRecords(storage);
    const staleRecord = { ...task, updatedAt: startTime };
    const writes = (updatedAt: number) => [
      updateWrite("account", acme, { name: "Former", updatedAt }),
      insertWrite("account", newAccount(id(6), updatedAt, { name: "Acme" })),
      updateWrite("task", staleRecord, { title: "Lost", updatedAt }),
    ];
    assert.deepEqual(await conflictOf(storage, writes), stale("task", 5));
  });
}
