import assert from "node:assert/strict";
import type { AnyRecord, Kind, Records } from "../../model/kinds.ts";
import type { Query, Storage } from "../storage.ts";
import { listAndCheckJson } from "./checked-reads.ts";
import type { TestFunctions } from "./harness.ts";
import * as make from "./records.ts";

const { idOf, startTime, updateWrite } = make;
const id = (index: number): string => idOf(1, index);

const ids = {
  ...{ ana: id(1), max: id(2), sales: id(4), service: id(5), fresh: id(6), done: id(7), repair: id(8) },
  ...{ acme: id(11), carla: id(21), dora: id(23), unlinked: id(24) },
} as const;
const { ana, max, sales, service, fresh, done, repair, acme, carla, dora, unlinked } = ids;

/** Filters with the numbers of the records that match. The last list is found only with `includeArchived`. */
const cases: readonly (readonly [Kind, NonNullable<Query["where"]>, readonly number[], (readonly number[])?])[] = [
  ["user", { email: " ANA@crm.TEST " }, [1]],
  ["user", { active: true }, [1, 2]],
  ["user", { active: false }, [3]],
  ["user", { active: false, email: "ana@crm.test" }, []],
  ["user", { role: "admin", active: true }, [1]],
  ["stage", { pipelineId: sales }, [6, 7]],
  ["account", { ids: [id(11), id(12), id(99), id(21), id(11)] }, [11], [12]],
  ["account", { ids: [id(11), id(13)], ownerId: ana, externalId: "1" }, [11]],
  ["account", { names: ["Other", "acme STRASSE", "none", "Acme"] }, [11, 13], [12]],
  ["account", { names: ["other", "ACME straße"], externalIds: ["1", "2"] }, [11], [12]],
  ["account", { externalIds: ["2", "01", "1"] }, [11], [12]],
  ["account", { externalIds: ["1", "2"], ownerId: max }, []],
  ["account", { externalIds: ["1", "2"], ids: [id(11), id(13)] }, [11]],
  ["account", { name: "  ACME\u00a0 straße " }, [11], [12]],
  ["account", { name: "\u200bACME stra\u00adsse" }, [11], [12]],
  ["account", { name: "Acme" }, []],
  ["account", { ownerId: ana }, [11, 13], [12]],
  ["account", { ownerId: ana, externalId: "1" }, [11]],
  ["account", { externalId: "01" }, []],
  ["account", { name: "acme strasse", ownerId: ana, externalId: "2" }, [], [12]],
  ["contact", { email: "CARLA@acme.test" }, [21], [22]],
  ["contact", { email: "car\u2060la@\uff41cme.test" }, [21], [22]],
  ["contact", { email: "" }, []],
  ["contact", { emails: ["dora@acme.test", " CARLA@acme.test", "x@acme.test"] }, [21, 23], [22]],
  ["contact", { emails: ["dora@acme.test", "carla@acme.test"], accountId: acme, ownerId: ana }, [21]],
  ["contact", { externalIds: ["7"], accountId: acme }, [23], [22]],
  ["contact", { accountId: acme }, [21, 23], [22]],
  ["contact", { accountId: acme, ownerId: ana }, [21]],
  ["contact", { externalId: "7", accountId: acme }, [23], [22]],
  ["contact", { email: "dora@acme.test", accountId: acme, ownerId: max, externalId: "7" }, [23]],
  ["opportunity", { status: "open" }, [31, 34], [33]],
  ["opportunity", { pipelineId: sales }, [31, 32], [33]],
  ["opportunity", { stageId: repair }, [34]],
  ["opportunity", { stageId: fresh, pipelineId: service }, []],
  ["opportunity", { accountId: acme, ownerId: ana }, [31], [33]],
  ["opportunity", { externalId: "x" }, [32, 34]],
  ["opportunity", { externalIds: ["y", "x"] }, [32, 34]],
  ["opportunity", { contactId: carla, externalIds: ["y", "x"] }, [32]],
  ["opportunity", { contactId: carla }, [31, 32], [33]],
  ["opportunity", { contactId: unlinked }, []],
  ["opportunity", { contactId: dora, status: "open" }, [34]],
  ["opportunity", { contactId: carla, accountId: acme, stageId: fresh, ownerId: ana }, [31], [33]],
  ["task", { status: "pending" }, [41, 43], [45]],
  ["task", { assignedTo: ana }, [41, 42], [45]],
  ["task", { assignedTo: id(99) }, []],
  ["task", { relatedToId: acme }, [41], [45]],
  ["task", { relatedToId: carla }, [42]],
  ["task", { relatedToId: id(31) }, [43]],
  ["task", { status: "pending", assignedTo: ana }, [41], [45]],
  ["task", { status: "pending", relatedToId: carla }, []],
  ["task", { assignedTo: ana, relatedToId: acme }, [41], [45]],
  ["task", { status: "pending", assignedTo: ana, relatedToId: acme }, [41], [45]],
  ["note", { relatedToId: acme }, [51, 53], [54]],
  ["note", { relatedToId: carla }, [52]],
  ["note", { authorId: ana }, [51, 52]],
  ["note", { authorId: ana, relatedToId: acme }, [51]],
  ["note", { externalIds: ["n", "a,b"] }, [52, 53], [54]],
  ["note", { externalId: "n" }, [52, 53], [54]],
];

/** Declares the tests of filters. */
export function filterContract({ test }: TestFunctions): void {
  test("list() returns the records that equal every field of the filter, with unique fields normalized", async (storage) => {
    const records = await createFilterRecords(storage);
    for (const [kind, where, active, archived = []] of cases) {
      const message = `${kind} ${JSON.stringify(where)}`;
      const expected = active.map((index) => records.get(index));
      assert.deepEqual(await listAndCheckJson(storage, id(0), kind, { where }), expected, message);
      const all = [...active, ...archived].sort((a, b) => a - b).map((index) => records.get(index));
      assert.deepEqual(
        await listAndCheckJson(storage, id(0), kind, { where, includeArchived: true }),
        all,
        `${message} archived`,
      );
    }
  });

  test("count() counts the records of a list with filters, or at least some of them", async (storage) => {
    const records = await createFilterRecords(storage);
    for (const [kind, where, active, archived = []] of cases) {
      for (const includeArchived of [false, true]) {
        const matches = includeArchived ? [...active, ...archived] : active;
        const since = Math.max(0, ...matches.map((index) => records.get(index)?.updatedAt ?? 0));
        const message = `${kind} ${JSON.stringify(where)} ${includeArchived}`;
        const count = (query: Query, max: number) =>
          storage.count(id(0), kind, { where, includeArchived, ...query }, max);
        assert.deepEqual(await count({}, 100), { count: matches.length, isMinimum: false }, message);
        const newest = await count({ updatedSince: since }, 100);
        assert.deepEqual(newest, { count: Math.min(matches.length, 1), isMinimum: false }, message);
        const least = await count({}, 1);
        assert.ok(least.count <= Math.min(matches.length, 1) && (least.isMinimum || matches.length < 2), message);
      }
    }
  });

  test("list() with a filter starts after a position or at a time", async (storage) => {
    const records = await createFilterRecords(storage);
    for (const [kind, where, active, archived = []] of cases) {
      const all = [...active, ...archived].sort((a, b) => a - b).map((index) => records.get(index) as AnyRecord);
      for (const [index, record] of all.entries()) {
        const after = { updatedAt: record.updatedAt, id: record.id };
        const message = `${kind} ${JSON.stringify(where)} from ${index}`;
        const next = { where, includeArchived: true, limit: 1 };
        assert.deepEqual(
          await listAndCheckJson(storage, id(0), kind, { ...next, after }),
          all.slice(index + 1, index + 2),
          message,
        );
        const since = await listAndCheckJson(storage, id(0), kind, { ...next, updatedSince: record.updatedAt });
        assert.deepEqual(since, [record], message);
      }
    }
  });

  test("list() finds an opportunity by its current contacts, not by former ones", async (storage) => {
    const records = await createFilterRecords(storage);
    const before = records.get(31) as Records["opportunity"];
    const after = { ...before, contactIds: [dora], updatedAt: startTime + 100 };
    await storage.commit(id(0), startTime + 100, () => [updateWrite("opportunity", before, after)]);
    const byContact = (contactId: string) => listAndCheckJson(storage, id(0), "opportunity", { where: { contactId } });
    assert.deepEqual(await byContact(carla), [records.get(32)]);
    assert.deepEqual(await byContact(dora), [records.get(32), records.get(34), after]);
  });
}

/** Creates the records, by number. Each has its own commit, so that lists are sorted by number. */
async function createFilterRecords(storage: Storage): Promise<ReadonlyMap<number, AnyRecord>> {
  await make.createTenant(storage, 1);
  const records = new Map<number, AnyRecord>();
  const add: Add = async (kind, index, of) => {
    await storage.commit(id(0), make.startTime + index, (at) => {
      const record = of(id(index), at);
      records.set(index, record);
      return [make.insertWrite(kind, record)];
    });
  };
  await addPipelines(add);
  await addContacts(add);
  await addTasks(add);
  await addNotes(add);
  return records;
}

type Add = <K extends Kind>(kind: K, index: number, of: (id: string, at: number) => Records[K]) => Promise<void>;

/** Adds users, pipelines and stages. */
async function addPipelines(add: Add): Promise<void> {
  await add("user", 1, (id, at) => make.newUser(id, at, { email: "Ana@crm.test", role: "admin" }));
  await add("user", 2, (id, at) => make.newUser(id, at, { email: "max@crm.test" }));
  await add("user", 3, (id, at) => make.newUser(id, at, { email: "ina@crm.test", active: false }));
  const rest = { isDefault: false, lostReasons: [], requireLostReason: false };
  await add("pipeline", 4, (id, at) => ({ name: "Sales", ...rest, ...make.baseFields(id, at) }));
  await add("pipeline", 5, (id, at) => ({ name: "Service", ...rest, ...make.baseFields(id, at) }));
  for (const [index, pipelineId] of [[6, sales] as const, [7, sales] as const, [8, service] as const]) {
    const rest = { pipelineId, name: `Stage ${index}`, order: index, probability: null };
    await add("stage", index, (id, at) => ({ ...rest, ...make.baseFields(id, at) }));
  }
}

/** Adds accounts and contacts. 12 and 22 are archived. */
async function addContacts(add: Add): Promise<void> {
  const [ownerId, accountId] = [ana, acme];
  const account = (index: number, fields: Partial<Records["account"]>) =>
    add("account", index, (id, at) => make.newAccount(id, at, { ownerId, ...fields }));
  await account(11, { name: "ACME Straße", externalId: "1" });
  await account(12, { name: "acme  STRASSE", externalId: "2", archivedAt: 0 });
  await account(13, { name: "Other" });
  const contact = (index: number, fields: Partial<Records["contact"]>) =>
    add("contact", index, (id, at) => make.newContact(id, at, fields));
  await contact(21, { email: "carla@acme.test", accountId, ownerId });
  await contact(22, { email: "Carla@acme.test", accountId, ownerId: max, externalId: "7", archivedAt: 0 });
  await contact(23, { email: "dora@acme.test", accountId, ownerId: max, externalId: "7" });
  await contact(24, {});
}

/** Adds opportunities and tasks. 33 and 45 are archived. */
async function addTasks(add: Add): Promise<void> {
  const opportunity = (index: number, fields: Parameters<typeof make.newOpportunity>[2]) =>
    add("opportunity", index, (id, at) => make.newOpportunity(id, at, fields));
  const open = { pipelineId: sales, stageId: fresh, accountId: acme, ownerId: ana, contactIds: [carla] };
  await opportunity(31, open);
  const lost = { status: "lost", closedAt: 0, stageId: done, ownerId: max, contactIds: [carla, dora] } as const;
  await opportunity(32, { ...open, ...lost, contactIds: [...lost.contactIds], externalId: "x" });
  await opportunity(33, { ...open, archivedAt: 0 });
  await opportunity(34, { pipelineId: service, stageId: repair, contactIds: [dora], externalId: "x" });
  const task = (index: number, fields: Partial<Records["task"]>) =>
    add("task", index, (id, at) => make.newTask(id, at, fields));
  const call = { assignedTo: ana, relatedTo: { type: "account", id: acme } } as const;
  await task(41, call);
  await task(42, { status: "completed", closedAt: 0, assignedTo: ana, relatedTo: { type: "contact", id: carla } });
  await task(43, { assignedTo: max, relatedTo: { type: "opportunity", id: make.idOf(1, 31) } });
  await task(44, { status: "canceled", closedAt: 0 });
  await task(45, { ...call, archivedAt: 0 });
}

/** Adds notes. 54 is archived. */
async function addNotes(add: Add): Promise<void> {
  const note = (index: number, type: "account" | "contact", relatedId: string, fields: Partial<Records["note"]>) =>
    add("note", index, (id, at) => make.newNote(id, at, { type, id: relatedId }, fields));
  await note(51, "account", acme, { authorId: ana });
  await note(52, "contact", carla, { authorId: ana, externalId: "n" });
  await note(53, "account", acme, { externalId: "n" });
  await note(54, "account", acme, { externalId: "n", archivedAt: 0 });
}
