import assert from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { entityLists, relatedKinds } from "../../console/entities.ts";
import { de } from "../../console/texts/de.ts";
import { endpoints } from "../../lib/endpoints/index.ts";
import { customFieldEntities } from "../../lib/model/custom-field.ts";
import { entityModels } from "../../lib/model/entities.ts";
import type { Model } from "../../lib/model/model.ts";
import { searchedKinds } from "../../lib/model/search-words.ts";
import { relatedTo } from "../../lib/model/task.ts";
import {
  collections,
  entities,
  entitiesWithFields,
  lookupFieldsOf,
  uniqueFields,
  upsertFields,
} from "../../lib/transfer/entities.ts";
import { fieldTargets } from "../../lib/transfer/field-targets.ts";

const models: readonly Model[] = Object.values(entityModels);

/** Returns the query parameters of a list. */
function queryOf(collection: string): Readonly<Record<string, unknown>> {
  return endpoints.find(({ method, path }) => method === "GET" && path === `/${collection}`)?.query ?? {};
}

test("imports, exports and the console know every kind of record", () => {
  const plurals = Object.fromEntries(models.map(({ kind, plural }) => [kind, plural]));
  assert.deepEqual(collections, plurals);
  assert.deepEqual(entitiesWithFields, customFieldEntities);
  assert.deepEqual(Object.keys(entityLists), Object.keys(plurals));
});

test("the console lists notes and tasks of the kinds that they can belong to", () => {
  assert.deepEqual(relatedKinds, relatedTo.entries.type.options);
});

test("the console filters and sorts its lists only as the API does", () => {
  for (const entity of entities) {
    const query = queryOf(collections[entity]);
    const { filters, orders, hasWords } = entityLists[entity];
    for (const name of [...filters, ...(hasWords ? ["q"] : [])]) assert.ok(name in query, `${entity} ${name}`);
    for (const order of orders.flatMap((each) => [each, `-${each}`]))
      assert.ok(v.is(query.order as v.GenericSchema, order), `${entity} ${order}`);
  }
});

test("a list has the parameter q exactly if its kind is in the search index", () => {
  for (const { kind, plural } of models)
    assert.equal("q" in queryOf(plural), (searchedKinds as readonly string[]).includes(kind), kind);
});

test("the kinds in the search index differ in their first letter, and from i, which marks an ID", () => {
  const letters = ["i", ...searchedKinds.map((kind) => kind.charAt(0))];
  assert.equal(new Set(letters).size, letters.length);
});

test("every field of a record, and every member of an address, has a German label in the console", () => {
  for (const { fields } of models) {
    const members = fieldTargets(fields).flatMap(({ field, member }) => (field === "address" && member) || []);
    for (const name of [...Object.keys(fields), ...members])
      if (name !== "customFields") assert.ok(Object.hasOwn(de.fields, name), name);
  }
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
