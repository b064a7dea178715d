import assert from "node:assert/strict";
import type { Kind, Records } from "../../lib/model/kinds.ts";
import type { Storage, Write } from "../../lib/storage/storage.ts";
import { exportTenantFile } from "../../lib/tenant-file/index.ts";
import { one, openCrm, owner, sales } from "./crm.ts";

export const customFields = {
  note: "On Mondays",
  size: 12.5,
  budget: { amount: 10, currency: "EUR" },
  since: "2024-02-29",
  segment: "SMB",
  lines: ["Beans", "Filter"],
};

/** Opens an API with a record of each entity, and functions that write to its storage directly. */
export async function editableCrm() {
  const crm = await openCrm();
  const { storage, clock } = crm;
  const account = await crm.create("/accounts", { name: "Early", customFields });
  const contact = await crm.create("/contacts", { name: "Eva", email: "eva@early.example", customFields });
  const parts = { accountId: account.id, contactIds: [contact.id], customFields };
  const sale = await crm.create("/opportunities", { name: "Sale", stageId: sales.offer, ...parts });
  await crm.create("/tasks", { title: "Call", assignedTo: owner, relatedTo: { type: "opportunity", id: sale.id } });
  const commit = async (propose: (at: number) => unknown): Promise<void> =>
    storage.commit(one.id, clock.now(), (at) => propose(at) as readonly Write[]);
  const change = async <K extends Kind>(kind: K, where: object, members: object): Promise<void> => {
    const found = (await storage.list(one.id, kind, {})).filter((each: Records[K]) =>
      Object.entries(where).every(([name, value]) => each[name as keyof Records[K]] === value),
    );
    assert.ok(found.length > 0, `no ${kind}`);
    const update = (record: Records[K], at: number) => ({ ...record, ...members, updatedAt: at });
    await commit((at) =>
      found.map((record) => ({ op: "update", kind, record: update(record, at), expectedUpdatedAt: record.updatedAt })),
    );
  };
  const add = (kind: Kind, record: object): Promise<void> =>
    commit((at) => [
      {
        op: "insert",
        kind,
        record: { id: crypto.randomUUID(), createdAt: at, archivedAt: null, ...record, updatedAt: at },
      },
    ]);
  return { ...crm, account, contact, sale, change, add };
}

/** The time at which tests archive records. */
export const archivedAt = Date.parse("2026-02-01T00:00:00.000Z");

/** Returns the tenant file of an export, serialized and parsed. */
export async function exported(storage: Storage): Promise<unknown> {
  return JSON.parse(JSON.stringify(await exportTenantFile(storage, one.id)));
}
