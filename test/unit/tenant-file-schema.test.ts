import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Ajv } from "ajv";
import * as v from "valibot";
import { currency } from "../../lib/model/currency.ts";
import { isCalendarDate, parseDateTime } from "../../lib/model/date-time.ts";
import { isUuid } from "../../lib/model/scalars.ts";
import { edited, fixture } from "../support/tenant-file-edit.ts";
import { schemaFile, tenantFileJsonSchema } from "../tenant-file-schema.ts";

const committed: unknown = JSON.parse(readFileSync(schemaFile, "utf8"));
const formats = {
  uuid: isUuid,
  date: isCalendarDate,
  "date-time": (text: string) => parseDateTime(text) !== undefined,
  "iso-4217": (code: string) => v.is(currency, code),
} as const;
const validate = new Ajv({ allErrors: true, formats }).compile(committed as object);

/** Returns each path at which the file violates the JSON Schema, once. */
function misfits(file: unknown): readonly string[] {
  validate(file);
  return [...new Set((validate.errors ?? []).map(({ instancePath }) => instancePath))];
}

test("the committed JSON Schema of tenant files is up to date (npm run schema)", () => {
  assert.deepEqual(committed, tenantFileJsonSchema());
});

for (const name of ["demo", "second"] as const) {
  test(`the tenant file ${name} matches the JSON Schema and refers to it in its first key`, () => {
    const file = fixture(name);
    assert.deepEqual(misfits(file), []);
    assert.deepEqual(Object.entries(file as object)[0], ["$schema", "./tenant-file.schema.json"]);
  });
}

test("the JSON Schema rejects unknown keys, missing keys, invalid options and invalid formats", () => {
  const file = edited(fixture("demo"), {
    "/taks": [],
    "/tenant/id": "fjordlys",
    "/users/0/name": undefined,
    "/users/1/role": "owner",
    "/pipelines/0/stages/0/probability": 101,
    "/customFields/0/key": "a segment",
    "/integrations/0/keys/0/value": "crm_test_",
    "/accounts/0/customFields": [],
    "/opportunities/0/amount": "14200",
    "/opportunities/1/expectedCloseDate": "2026-02-31",
    "/tasks/0/dueDate": "tomorrow",
  });
  assert.deepEqual(misfits(file), [
    "",
    "/tenant/id",
    "/users/0",
    "/users/1/role",
    "/pipelines/0/stages/0/probability",
    "/customFields/0/key",
    "/integrations/0/keys/0",
    "/accounts/0/customFields",
    "/opportunities/0/amount",
    "/opportunities/1/expectedCloseDate",
    "/tasks/0/dueDate",
  ]);
});
