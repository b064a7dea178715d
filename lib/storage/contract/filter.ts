import assert from "node:assert/strict";
import type { AnyRecord, Kind, Records } from "../../model/kinds.ts";
import type { Query } from "../storage.ts";
import { listChecked } from "./checked-reads.ts";
import { createFilterRecords, ids } from "./filter-records.ts";
import type { Tests } from "./harness.ts";
import { idOf, startTime, update } from "./records.ts";

const { ana, max, sales, service, fresh, repair, acme, carla, dora, nobody } = ids;
const id = (index: number): string => idOf(1, index);

/** What a filter finds, as numbers of records; those after the bar only with `archived`. */
const answers: readonly (readonly [Kind, NonNullable<Query["where"]>, readonly number[], (readonly number[])?])[] = [
  ["user", { email: " ANA@crm.TEST " }, [1]],
  ["user", { active: true }, [1, 2]],
  ["user", { active: false }, [3]],
  ["user", { active: false, email: "ana@crm.test" }, []],
  ["user", { role: "admin", active: true }, [1]],
  ["stage", { pipelineId: sales }, [6, 7]],
  ["account", { name: "  ACME\u00a0 straße " }, [11], [12]],
  ["account", { name: "Acme" }, []],
  ["account", { ownerId: ana }, [11, 13], [12]],
  ["account", { ownerId: ana, externalId: "1" }, [11]],
  ["account", { externalId: "01" }, []],
  ["account", { name: "acme strasse", ownerId: ana, externalId: "2" }, [], [12]],
  ["contact", { email: "CARLA@acme.test" }, [21], [22]],
  ["contact", { email: "" }, []],
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
  ["opportunity", { contactId: carla }, [31, 32], [33]],
  ["opportunity", { contactId: nobody }, []],
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
];

/** Which records a filter finds. */
export function filterContract({ test }: Tests): void {
  test("filters find what is equal to them in every field they name, folded where the field is unique", async (storage) => {
    const records = await createFilterRecords(storage);
    for (const [kind, where, active, archived = []] of answers) {
      const message = `${kind} ${JSON.stringify(where)}`;
      const expected = active.map((index) => records.get(index));
      assert.deepEqual(await listChecked(storage, id(0), kind, { where }), expected, message);
      const all = [...active, ...archived].sort((a, b) => a - b).map((index) => records.get(index));
      assert.deepEqual(
        await listChecked(storage, id(0), kind, { where, includeArchived: true }),
        all,
        `${message} archived`,
      );
    }
  });

  test("a filter can be walked in pages, from a place and from a time on", async (storage) => {
    const records = await createFilterRecords(storage);
    for (const [kind, where, active, archived = []] of answers) {
      const all = [...active, ...archived].sort((a, b) => a - b).map((index) => records.get(index) as AnyRecord);
      for (const [index, record] of all.entries()) {
        const after = { updatedAt: record.updatedAt, id: record.id };
        const message = `${kind} ${JSON.stringify(where)} from ${index}`;
        const next = { where, includeArchived: true, limit: 1 };
        assert.deepEqual(
          await listChecked(storage, id(0), kind, { ...next, after }),
          all.slice(index + 1, index + 2),
          message,
        );
        const since = await listChecked(storage, id(0), kind, { ...next, updatedSince: record.updatedAt });
        assert.deepEqual(since, [record], message);
      }
    }
  });

  test("an opportunity is found by its contacts of now, not by those of before", async (storage) => {
    const records = await createFilterRecords(storage);
    const before = records.get(31) as Records["opportunity"];
    const after = { ...before, contactIds: [dora], updatedAt: startTime + 100 };
    await storage.commit(id(0), startTime + 100, () => [update("opportunity", before, after)]);
    const byContact = (contactId: string) => listChecked(storage, id(0), "opportunity", { where: { contactId } });
    assert.deepEqual(await byContact(carla), [records.get(32)]);
    assert.deepEqual(await byContact(dora), [records.get(32), records.get(34), after]);
  });
}
