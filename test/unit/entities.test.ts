import assert from "node:assert/strict";
import { test } from "node:test";
import { entityLists } from "../../console/entities.ts";
import { customFieldEntities } from "../../lib/model/custom-field.ts";
import { entityModels } from "../../lib/model/entities.ts";
import type { Model } from "../../lib/model/model.ts";
import {
  collections,
  entities,
  entitiesWithFields,
  lookupFieldsOf,
  uniqueFields,
  upsertFields,
} from "../../lib/transfer/entities.ts";

const models: readonly Model[] = Object.values(entityModels);

test("imports, exports and the console know every kind of record", () => {
  const plurals = Object.fromEntries(models.map(({ kind, plural }) => [kind, plural]));
  assert.deepEqual(collections, plurals);
  assert.deepEqual(entitiesWithFields, customFieldEntities);
  assert.deepEqual(Object.keys(entityLists), Object.keys(plurals));
});

test("the fields by which imports find records are those of upserts, and the unique field is that of the model", () => {
  for (const entity of entities) {
    const { fields } = models.find(({ kind }) => kind === entity) as Model;
    const unique = Object.keys(fields).find((name) => fields[name]?.unique !== undefined);
    assert.equal(uniqueFields[entity], unique, entity);
    assert.deepEqual(upsertFields[entity], [...lookupFieldsOf(entity), "id"], entity);
    for (const field of lookupFieldsOf(entity)) assert.ok(field === unique || field === "externalId", field);
    assert.equal(lookupFieldsOf(entity).includes("externalId"), "externalId" in fields, entity);
  }
});
