import assert from "node:assert/strict";
import type { Records } from "../../model/kinds.ts";
import { type Storage, type Write, WriteConflict } from "../storage.ts";
import type { TestFunctions } from "./harness.ts";
import { baseFields, createTenant, idOf, insertWrite, startTime, updateWrite } from "./records.ts";

const id = (index: number): string => idOf(1, index);

/**
 * Creates pipelines 1 and 2, stage 3 "Offer" of pipeline 1, custom field 4 "Segment" of accounts, and integration 5
 * "ERP".
 */
async function createSetUp(storage: Storage): Promise<void> {
  await createTenant(storage, 1);
  await storage.commit(id(0), startTime, (at) => [
    insertWrite("pipeline", newPipeline(1, at)),
    insertWrite("pipeline", newPipeline(2, at)),
    insertWrite("stage", newStage(3, at, { name: "Offer" })),
    insertWrite("customField", newField(4, at, { key: "Segment" })),
    insertWrite("integration", newIntegration(5, at, { name: "ERP" })),
  ]);
}

function newPipeline(index: number, at: number): Records["pipeline"] {
  const name = `Pipeline ${index}`;
  return { name, isDefault: false, lostReasons: [], requireLostReason: false, ...baseFields(id(index), at) };
}

function newStage(index: number, at: number, fields: Partial<Records["stage"]>): Records["stage"] {
  return { pipelineId: id(1), name: "", order: 1, probability: null, ...baseFields(id(index), at), ...fields };
}

function newField(index: number, at: number, fields: Partial<Records["customField"]>): Records["customField"] {
  const none = { description: null, maxLength: null, options: null, optionLabels: null, position: 0 };
  const rest = { entity: "account", key: "", label: "Field", type: "text", required: false } as const;
  return { ...rest, ...none, ...baseFields(id(index), at), ...fields };
}

function newIntegration(index: number, at: number, fields: Partial<Records["integration"]>): Records["integration"] {
  return { name: "", scopes: [], ...baseFields(id(index), at), ...fields };
}

/** The ways to use a name again: its kind, field and record, and an insert of a record with these changes. */
const cases: readonly {
  readonly kind: "stage" | "customField" | "integration";
  readonly field: string;
  readonly index: number;
  readonly insert: (at: number, fields: object) => Write;
  readonly elsewhere: object;
}[] = [
  {
    ...{ kind: "stage", field: "name", index: 3 },
    insert: (at: number, fields: object) => insertWrite("stage", newStage(9, at, { name: "ＯＦＦＥＲ ", ...fields })),
    elsewhere: { pipelineId: id(2) },
  },
  {
    ...{ kind: "customField", field: "key", index: 4 },
    insert: (at: number, fields: object) => insertWrite("customField", newField(9, at, { key: "sEGMENT", ...fields })),
    elsewhere: { entity: "contact" },
  },
  {
    ...{ kind: "integration", field: "name", index: 5 },
    insert: (at: number, fields: object) =>
      insertWrite("integration", newIntegration(9, at, { name: " e\u00adrp", ...fields })),
    elsewhere: { name: "ERP 2" },
  },
];

/** Declares the tests of names that are unique in the set-up: of stages, custom fields and integrations. */
export function uniqueNamesContract({ test }: TestFunctions): void {
  for (const { kind, field, index, insert, elsewhere } of cases) {
    const duplicate = { reason: "duplicate", kind, field, id: id(index) };

    test(`commit() rejects the ${field} of another ${kind} as duplicate, compared after normalization`, async (storage) => {
      await createSetUp(storage);
      assert.deepEqual(await conflictOf(storage, (at) => [insert(at, {})]), duplicate);
      assert.equal(await storage.get(id(0), kind, id(9)), undefined);
      await storage.commit(id(0), startTime, (at) => [insert(at, elsewhere)]);
      assert.equal((await storage.get(id(0), kind, id(9)))?.id, id(9));
    });

    test(`the ${field} of an archived ${kind} can be used again, and then it can't be restored`, async (storage) => {
      await createSetUp(storage);
      await storage.commit(id(0), startTime, (at) => [insert(at, { archivedAt: at })]);
      const stored = (await storage.get(id(0), kind, id(9))) as never;
      const restore = (updatedAt: number) => [updateWrite(kind, stored, { archivedAt: null, updatedAt })];
      assert.deepEqual(await conflictOf(storage, restore), duplicate);
      const former = (await storage.get(id(0), kind, id(index))) as never;
      await storage.commit(id(0), startTime, (at) => [
        updateWrite(kind, former, { archivedAt: at, updatedAt: at }),
        ...restore(at),
      ]);
      assert.equal((await storage.get(id(0), kind, id(9)))?.archivedAt, null);
    });
  }

  test("of two concurrent inserts of an integration with a name, one succeeds", async (storage) => {
    await createSetUp(storage);
    const results = await Promise.allSettled(
      [6, 7].map((index) =>
        storage.commit(id(0), startTime, (at) => [
          insertWrite("integration", newIntegration(index, at, { name: "Shop" })),
        ]),
      ),
    );
    assert.deepEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  });
}

/** Returns the fields of the conflict. Fails if the commit succeeds. */
async function conflictOf(storage: Storage, propose: (at: number) => readonly Write[]): Promise<unknown> {
  try {
    await storage.commit(id(0), startTime, propose);
  } catch (error) {
    assert.ok(error instanceof WriteConflict, `${error}`);
    const { reason, kind, field, id } = error;
    return { reason, kind, field, id };
  }
  assert.fail("The commit was not rejected.");
}
