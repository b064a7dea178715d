import assert from "node:assert/strict";
import { test } from "node:test";
import { endpoints } from "../../lib/endpoints/index.ts";
import { models } from "../../lib/index.ts";
import { customFieldEntities } from "../../lib/model/custom-field.ts";
import { entityModels } from "../../lib/model/entities.ts";

test("every entity has the standard endpoints", () => {
  const names = endpoints.map(({ name }) => name);
  for (const { kind, plural } of Object.values(entityModels)) {
    const [one, many] = [kind, plural].map((name) => name.charAt(0).toUpperCase() + name.slice(1));
    const standard = [
      `list${many}`,
      ...["create", "get", "update", "archive", "restore"].map((verb) => verb + one),
      `batch${many}`,
    ];
    assert.deepEqual(
      standard.filter((name) => !names.includes(name)),
      [],
    );
  }
});

test("every kind with customFields is an entity of the catalog", () => {
  const kinds = Object.values(models).filter(({ fields }) => "customFields" in fields);
  assert.deepEqual(
    kinds.map(({ kind }) => kind),
    [...customFieldEntities],
  );
});
