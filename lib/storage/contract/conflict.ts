import assert from "node:assert/strict";
import type { Records } from "../../model/kinds.ts";
import { type Storage, type Write, WriteConflict } from "../storage.ts";
import type { Tests } from "./harness.ts";
import * as make from "./records.ts";

const { startTime, createTenant, idOf, insert, newAccount, newContact, newTask, newUser, update } = make;
const id = (index: number): string => idOf(1, index);

/** What the conflict says; fails where there was none. */
async function conflictOf(storage: Storage, propose: (at: number) => readonly Write[]): Promise<unknown> {
  try {
    await storage.commit(id(0), startTime + 50, propose);
  } catch (error) {
    assert.ok(error instanceof WriteConflict, `${error}`);
    const { reason, kind, field, id } = error;
    return { reason, kind, field, id };
  }
  assert.fail("The commit was not refused.");
}

/** Account 1 "Acme", account 2 "Gone" (archived), contact 3 and user 4 with addresses, task 5. */
async function fewRecords(storage: Storage) {
  await createTenant(storage, 1);
  const records = {
    acme: newAccount(id(1), startTime + 1, { name: "Acme" }),
    gone: newAccount(id(2), startTime + 1, { name: "Gone", archivedAt: startTime + 1 }),
    carla: newContact(id(3), startTime + 1, { email: "carla@crm.test" }),
    ana: newUser(id(4), startTime + 1, { email: "ana@crm.test" }),
    task: newTask(id(5), startTime + 1),
  };
  await storage.commit(id(0), startTime + 1, () => [
    insert("account", records.acme),
    insert("account", records.gone),
    insert("contact", records.carla),
    insert("user", records.ana),
    insert("task", records.task),
  ]);
  return records;
}

/** Why a commit is refused, and what it says is in the way. */
export function conflictContract({ test }: Tests): void {
  test("an id that is there already is taken, also by an archived record", async (storage) => {
    await fewRecords(storage);
    const taken = (kind: string, index: number) => ({ reason: "duplicate", kind, field: "id", id: id(index) });
    const again = (index: number) => (at: number) => [insert("account", newAccount(id(index), at, { name: "New" }))];
    assert.deepEqual(await conflictOf(storage, again(1)), taken("account", 1));
    assert.deepEqual(await conflictOf(storage, again(2)), taken("account", 2));
    const task = await conflictOf(storage, (at) => [insert("task", newTask(id(5), at))]);
    assert.deepEqual(task, taken("task", 5));
    const same = await conflictOf(storage, (at) => [insert("account", newAccount(id(1), at, { name: "Acme" }))]);
    assert.deepEqual(same, taken("account", 1));
    const tenant = await conflictOf(storage, (at) => [
      insert("tenant", { name: "Again", ...make.baseFields(id(0), at) }),
    ]);
    assert.deepEqual(tenant, taken("tenant", 0));
    const twice = (at: number) => [insert("task", newTask(id(9), at)), insert("task", newTask(id(9), at))];
    assert.deepEqual(await conflictOf(storage, twice), taken("task", 9));
  });

  test("an e-mail address is taken until the write of a commit that gives it up, and free from then on", async (storage) => {
    const { carla } = await fewRecords(storage);
    const giving = (updatedAt: number) => update("contact", carla, { email: null, updatedAt });
    const taking = (at: number) => insert("contact", newContact(id(9), at, { email: carla.email }));
    const taken = { reason: "duplicate", kind: "contact", field: "email", id: carla.id };
    assert.deepEqual(await conflictOf(storage, (at) => [taking(at), giving(at)]), taken);
    assert.equal(await storage.get(id(0), "contact", id(9)), undefined);
    await storage.commit(id(0), startTime + 60, (at) => [giving(at), taking(at)]);
    const addresses = (await storage.list(id(0), "contact", {})).map(({ id, email }) => [id, email]);
    assert.deepEqual(addresses, [
      [carla.id, null],
      [id(9), carla.email],
    ]);
  });

  test("a name or e-mail address is taken where another record has it after folding", async (storage) => {
    const { carla, ana, acme } = await fewRecords(storage);
    const taken = (kind: string, field: string, index: number) => ({ reason: "duplicate", kind, field, id: id(index) });
    const [other, third] = [newAccount(id(6), startTime + 2, { name: "Other" }), newContact(id(7), startTime + 2)];
    const last = newUser(id(8), startTime + 2);
    await storage.commit(id(0), startTime + 2, () => [
      insert("account", other),
      insert("contact", third),
      insert("user", last),
    ]);
    const cases: readonly (readonly [(at: number) => Write, unknown])[] = [
      [(at) => insert("account", newAccount(id(9), at, { name: " ＡＣＭＥ " })), taken("account", "name", 1)],
      [(updatedAt) => update("account", other, { name: "aCME", updatedAt }), taken("account", "name", 1)],
      [(at) => insert("contact", newContact(id(9), at, { email: " CARLA@crm.test" })), taken("contact", "email", 3)],
      [(updatedAt) => update("contact", third, { email: carla.email, updatedAt }), taken("contact", "email", 3)],
      [(at) => insert("user", newUser(id(9), at, { email: "ANA@CRM.TEST" })), taken("user", "email", 4)],
      [(updatedAt) => update("user", last, { email: ana.email, updatedAt }), taken("user", "email", 4)],
    ];
    for (const [write, expected] of cases) assert.deepEqual(await conflictOf(storage, (at) => [write(at)]), expected);
    const both = (at: number) => [insert("account", newAccount(id(9), at, { name: "X" }))];
    const twice = (at: number) => [...both(at), insert("account", newAccount(id(10), at, { name: "x" }))];
    assert.deepEqual(await conflictOf(storage, twice), taken("account", "name", 9));
    assert.deepEqual(await storage.list(id(0), "account", {}), [acme, other]);
  });

  test("a record is not in its own way, and many may have no e-mail address", async (storage) => {
    const { acme } = await fewRecords(storage);
    await storage.commit(id(0), startTime + 2, (at) => [
      update("account", acme, { name: "ACME", updatedAt: at }),
      insert("contact", newContact(id(7), at)),
      insert("contact", newContact(id(8), at)),
    ]);
    assert.deepEqual(await storage.get(id(0), "account", id(1)), { ...acme, name: "ACME", updatedAt: startTime + 2 });
  });

  test("an archived record frees its name, and cannot be restored where that was taken meanwhile", async (storage) => {
    const { gone } = await fewRecords(storage);
    const heir = newAccount(id(6), startTime + 2, { name: "GONE" });
    await storage.commit(id(0), startTime + 2, () => [insert("account", heir)]);
    const restore = (updatedAt: number) => [update("account", gone, { archivedAt: null, updatedAt })];
    const expected = { reason: "duplicate", kind: "account", field: "name", id: id(6) };
    assert.deepEqual(await conflictOf(storage, restore), expected);
    assert.deepEqual(await storage.get(id(0), "account", id(2)), gone);
    const rename = { archivedAt: null, name: "Back", updatedAt: startTime + 3 };
    await storage.commit(id(0), startTime + 3, () => [update("account", gone, rename)]);
    assert.deepEqual(await storage.get(id(0), "account", id(2)), { ...gone, ...rename });
  });

  test("in one commit a name may go from one record to another", async (storage) => {
    const { acme } = await fewRecords(storage);
    const heir = newAccount(id(6), startTime + 2, { name: "acme" });
    const renamed = { ...acme, name: "Former", updatedAt: startTime + 2 };
    await storage.commit(id(0), startTime + 2, () => [update("account", acme, renamed), insert("account", heir)]);
    assert.deepEqual(await storage.list(id(0), "account", {}), [renamed, heir]);
  });

  test("an update made from another version, or of no record, is stale", async (storage) => {
    const { acme, task } = await fewRecords(storage);
    const stale = (kind: string, index: number) => ({ reason: "stale", kind, field: "id", id: id(index) });
    const from =
      (expectedUpdatedAt: number) =>
      (at: number): Write[] => [
        { op: "update", kind: "task", record: { ...task, title: "Lost", updatedAt: at }, expectedUpdatedAt },
      ];
    for (const was of [startTime, startTime + 2, 0])
      assert.deepEqual(await conflictOf(storage, from(was)), stale("task", 5));
    const absent = newTask(id(9), startTime + 1);
    const ofNone = (updatedAt: number) => [update("task", absent, { updatedAt })];
    assert.deepEqual(await conflictOf(storage, ofNone), stale("task", 9));
    const elsewhere: Records["task"] = { ...task, id: id(1) };
    assert.deepEqual(
      await conflictOf(storage, (at) => [update("task", elsewhere, { updatedAt: at })]),
      stale("task", 1),
    );
    await storage.commit(idOf(2, 0), startTime, (at) => [
      insert("tenant", { name: "Two", ...make.baseFields(idOf(2, 0), at) }),
    ]);
    const foreign = storage.commit(idOf(2, 0), startTime + 9, (at) => [update("account", acme, { updatedAt: at })]);
    await assert.rejects(foreign, { name: "WriteConflict", reason: "stale", kind: "account", id: id(1) });
    assert.deepEqual(await storage.get(id(0), "task", id(5)), task);
  });

  test("of two updates of one version one is kept and the other is stale", async (storage) => {
    const { task } = await fewRecords(storage);
    const change = (title: string) =>
      storage.commit(id(0), startTime + 2, (updatedAt) => [update("task", task, { title, updatedAt })]);
    const [one, two] = await Promise.allSettled([change("One"), change("Two")]);
    assert.deepEqual([one.status, two.status].sort(), ["fulfilled", "rejected"]);
    const title = one.status === "fulfilled" ? "One" : "Two";
    assert.deepEqual(await storage.get(id(0), "task", id(5)), { ...task, title, updatedAt: startTime + 2 });
  });

  test("an archived record is in nobody's way: the id is what is taken, not the name it would have", async (storage) => {
    await fewRecords(storage);
    const record = (at: number) => newAccount(id(2), at, { name: "Acme", archivedAt: at });
    const got = await conflictOf(storage, (at) => [insert("account", record(at))]);
    assert.deepEqual(got, { reason: "duplicate", kind: "account", field: "id", id: id(2) });
  });

  test("an update that is stale says so, whatever name it would have taken", async (storage) => {
    const { acme } = await fewRecords(storage);
    const other = newAccount(id(6), startTime + 2, { name: "Other" });
    await storage.commit(id(0), startTime + 2, () => [insert("account", other)]);
    const late = { ...other, updatedAt: startTime + 1 };
    const rename = (updatedAt: number) => [update("account", late, { name: acme.name, updatedAt })];
    assert.deepEqual(await conflictOf(storage, rename), { reason: "stale", kind: "account", field: "id", id: id(6) });
  });

  test("an update that is stale says so, whatever it would have referred to", async (storage) => {
    const { carla } = await fewRecords(storage);
    const late = { ...carla, accountId: id(99), updatedAt: startTime };
    const move = (updatedAt: number) => [update("contact", late, { updatedAt })];
    assert.deepEqual(await conflictOf(storage, move), { reason: "stale", kind: "contact", field: "id", id: id(3) });
    const [pipelineId, stageId] = [id(10), id(11)];
    const sale = make.newOpportunity(id(12), startTime + 2, { pipelineId, stageId });
    const pipeline = { name: "Sales", isDefault: true, lostReasons: [], requireLostReason: false };
    await storage.commit(id(0), startTime + 2, (at) => [
      insert("pipeline", { ...pipeline, ...make.baseFields(pipelineId, at) }),
      insert("stage", { pipelineId, name: "New", order: 1, probability: null, ...make.baseFields(stageId, at) }),
      insert("opportunity", sale),
    ]);
    const overtaken = { ...sale, contactIds: [id(99)], updatedAt: startTime };
    const linked = (updatedAt: number) => [update("opportunity", overtaken, { updatedAt })];
    const expected = { reason: "stale", kind: "opportunity", field: "id", id: id(12) };
    assert.deepEqual(await conflictOf(storage, linked), expected);
  });

  test("what is in the way is told as it is in the midst of the commit, not as it was before", async (storage) => {
    const { acme, task } = await fewRecords(storage);
    const late = { ...task, updatedAt: startTime };
    const moved = (updatedAt: number) => [
      update("account", acme, { name: "Former", updatedAt }),
      insert("account", newAccount(id(6), updatedAt, { name: "Acme" })),
      update("task", late, { title: "Lost", updatedAt }),
    ];
    assert.deepEqual(await conflictOf(storage, moved), { reason: "stale", kind: "task", field: "id", id: id(5) });
  });
}
