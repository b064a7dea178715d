import type { AnyRecord, Kind, Records } from "../../model/kinds.ts";
import type { Storage } from "../storage.ts";
import * as make from "./records.ts";

const id = (index: number): string => make.idOf(1, index);

export const ids = {
  ...{ ana: id(1), max: id(2), sales: id(4), service: id(5), fresh: id(6), done: id(7), repair: id(8) },
  ...{ acme: id(11), carla: id(21), dora: id(23), nobody: id(24) },
} as const;

/** Records for filters to find, by number: each in a commit of its own, so that lists have them by number too. */
export async function createFilterRecords(storage: Storage): Promise<ReadonlyMap<number, AnyRecord>> {
  await make.createTenant(storage, 1);
  const records = new Map<number, AnyRecord>();
  const add = async <K extends Kind>(kind: K, index: number, of: (id: string, at: number) => Records[K]) => {
    await storage.commit(id(0), make.startTime + index, (at) => {
      const record = of(id(index), at);
      records.set(index, record);
      return [make.insert(kind, record)];
    });
  };
  await addPlaces(add);
  await addPeople(add);
  await addWork(add);
  return records;
}

type Add = <K extends Kind>(kind: K, index: number, of: (id: string, at: number) => Records[K]) => Promise<void>;

/** Users, pipelines and stages. */
async function addPlaces(add: Add): Promise<void> {
  await add("user", 1, (id, at) => make.newUser(id, at, { email: "Ana@crm.test", role: "admin" }));
  await add("user", 2, (id, at) => make.newUser(id, at, { email: "max@crm.test" }));
  await add("user", 3, (id, at) => make.newUser(id, at, { email: "ina@crm.test", active: false }));
  const plain = { isDefault: false, lostReasons: [], requireLostReason: false };
  await add("pipeline", 4, (id, at) => ({ name: "Sales", ...plain, ...make.baseFields(id, at) }));
  await add("pipeline", 5, (id, at) => ({ name: "Service", ...plain, ...make.baseFields(id, at) }));
  for (const [index, pipelineId] of [[6, ids.sales] as const, [7, ids.sales] as const, [8, ids.service] as const]) {
    const rest = { pipelineId, name: `Stage ${index}`, order: index, probability: null };
    await add("stage", index, (id, at) => ({ ...rest, ...make.baseFields(id, at) }));
  }
}

/** Accounts and contacts; 12 and 22 are archived. */
async function addPeople(add: Add): Promise<void> {
  const { ana: ownerId, max, acme: accountId } = ids;
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

/** Opportunities and tasks; 33 and 45 are archived. */
async function addWork(add: Add): Promise<void> {
  const { ana, max, acme, carla, dora, sales, service, fresh, done, repair } = ids;
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
