import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, type Shown, verdict } from "../../support/crm.ts";
import { figures } from "../size.ts";
import { valueKinds } from "./field-values.ts";
import { watchedCrm } from "./observed-crm.ts";

const { attempt } = await watchedCrm();
let tried = 0;
let names = 0;

/** Every built-in field that a caller can set alone, and the kind of its value. */
const fields: readonly (readonly [path: string, field: string, kind: keyof typeof valueKinds])[] = [
  ["/accounts", "name", "filled"],
  ["/accounts", "document", "line"],
  ["/accounts", "website", "link"],
  ["/accounts", "phone", "line"],
  ["/accounts", "email", "email"],
  ["/accounts", "description", "anyText"],
  ["/accounts", "address/city", "line"],
  ["/accounts", "address/postalCode", "line"],
  ["/accounts", "ownerId", "user"],
  ["/accounts", "externalId", "filledOrNull"],
  ["/contacts", "name", "filled"],
  ["/contacts", "email", "email"],
  ["/contacts", "phone", "line"],
  ["/contacts", "jobTitle", "line"],
  ["/contacts", "accountId", "account"],
  ["/contacts", "ownerId", "user"],
  ["/contacts", "externalId", "filledOrNull"],
  ["/opportunities", "name", "filled"],
  ["/opportunities", "accountId", "account"],
  ["/opportunities", "pipelineId", "pipeline"],
  ["/opportunities", "stageId", "stage"],
  ["/opportunities", "amount", "amount"],
  ["/opportunities", "currency", "currency"],
  ["/opportunities", "expectedCloseDate", "day"],
  ["/opportunities", "ownerId", "user"],
  ["/opportunities", "externalId", "filledOrNull"],
  ["/tasks", "title", "filled"],
  ["/tasks", "description", "anyText"],
  ["/tasks", "priority", "priority"],
  ["/tasks", "status", "taskStatus"],
  ["/tasks", "dueDate", "instant"],
  ["/tasks", "assignedTo", "user"],
];

const named = (path: string): string => `"${path === "/tasks" ? "title" : "name"}":"Value ${++names}"`;

/** Returns a body with the field, its outer object, if any, and the name that the kind requires. */
function bodyOf(path: string, field: string, json: string): string {
  const [outer = "", inner] = field.split("/");
  if (outer === "name" || outer === "title") return `{"${outer}":${json}}`;
  return `{${named(path)},${inner === undefined ? `"${outer}":${json}` : `"${outer}":{"${inner}":${json}}`}}`;
}

function valueIn(record: Shown, field: string): unknown {
  return field
    .split("/")
    .reduce((value: unknown, key) => (value as Record<string, unknown> | null)?.[key] ?? null, record);
}

function valuesIn(table: string): string[] {
  return table.split(" | ").filter((value) => value !== "");
}

const shown = (json: string): string => (json.length > 60 ? `${json.slice(0, 57)}...` : json);

for (const [path, field, kind] of fields) {
  const { accepted, rejected } = valueKinds[kind];
  test(`${path} ${field} accepts a valid ${kind} in a POST and in a PATCH and returns it`, async () => {
    for (const value of valuesIn(accepted)) {
      const [json = "", stored = json] = value.split(" => ");
      const expected: unknown = JSON.parse(stored);
      const raw = bodyOf(path, field, json);
      const made = dataOf(await attempt("POST", path, { raw }), 201);
      assert.deepEqual(valueIn(made, field), expected, shown(json));
      assert.deepEqual(dataOf(await attempt("GET", `${path}/${made.id}`)), made);
      const renamed = raw.replace(/"Value \d+"/, () => `"Value ${++names}"`);
      const changed = dataOf(await attempt("PATCH", `${path}/${made.id}`, { raw: renamed }));
      assert.deepEqual(valueIn(changed, field), expected, shown(json));
      assert.deepEqual(dataOf(await attempt("GET", `${path}/${made.id}`)), changed);
      assert.equal((await attempt("DELETE", `${path}/${made.id}`)).status, 204);
      tried += 2;
    }
  });
  test(`${path} ${field} rejects an invalid ${kind} in a POST and in a PATCH with a specific code`, async () => {
    const { id } = dataOf(await attempt("POST", path, { raw: `{${named(path)}}` }), 201);
    for (const [code, values] of Object.entries(rejected)) {
      const expectedError = `${code === "not_found" ? "422 invalid_reference" : "400 validation_error"}: /${field} ${code}`;
      for (const json of valuesIn(values)) {
        const raw = bodyOf(path, field, json);
        const made = verdict(await attempt("POST", path, { raw }));
        assert.equal(made.split(", ").includes(expectedError) ? expectedError : made, expectedError, shown(json));
        assert.equal(verdict(await attempt("PATCH", `${path}/${id}`, { raw })), made, shown(json));
        tried += 2;
      }
    }
  });
}

test("every field accepts valid values and rejects others with a specific code", (t) =>
  figures(t, "bad-input-values", { "values of built-in fields": tried }));
