import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { isCurrency } from "../../../lib/model/currency.ts";
import { isCalendarDate, parseDateTime } from "../../../lib/model/date-time.ts";
import { type Entity, entityKinds, entityModels } from "../../../lib/model/entities.ts";
import { opportunityStatuses } from "../../../lib/model/opportunity.ts";
import { isUuid } from "../../../lib/model/scalars.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { type Result, sequentialIds, type TestCrm, testCrm } from "../../support/harness.ts";
import { bodyOf, customFields, rules } from "../../support/random-bodies.ts";
import { one, pipelines, stageIds } from "../../support/random-tenants.ts";
import { dataOf, errorOf } from "../../support/responses.ts";
import { tenantFile } from "../../support/tenants.ts";
import { figures, seed, size } from "../size.ts";

const { key } = one;
const ajv = new Ajv2020({
  strict: false,
  formats: {
    uuid: isUuid,
    date: isCalendarDate,
    "date-time": (text: string) => parseDateTime(text) !== undefined,
    "iso-4217": (code: string) => isCurrency(code.toUpperCase()),
  },
});

const request = fc.constantFrom(...entityKinds).chain((entity) =>
  fc.record({
    entity: fc.constant(entity),
    body: bodyOf(entity, 25, 4),
    change: bodyOf(entity, 10, 1),
    stageId: fc.option(fc.constantFrom(...stageIds.flat()), { nil: undefined }),
    status: fc.option(fc.constantFrom(...opportunityStatuses), { nil: undefined }),
  }),
);
type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;

const testCase = fc.record({
  pipelines,
  customFields,
  rules,
  requests: fc.array(request, { minLength: 12, maxLength: 12 }),
});
type TestCase = typeof testCase extends fc.Arbitrary<infer T> ? T : never;

const counts = { created: 0, updated: 0, rejected: 0 };

/** Removes the custom fields that the tenant doesn't have, except in a few bodies. */
function withKnownFields(
  body: Record<string, unknown>,
  known: readonly string[],
  entity: Entity,
): Record<string, unknown> {
  const { customFields: custom, ...rest } = body;
  if (custom === undefined) return rest;
  const remaining = Object.entries(custom as object).filter(([name]) => known.includes(`${entity}.${name}`));
  return remaining.length === 0 ? rest : { ...rest, customFields: Object.fromEntries(remaining) };
}

const valueErrors = ["unknown_custom_field", "invalid_custom_field"];

/** Checks that the schema admits a body exactly if the API accepts it, as far as the schema can know. */
function compare(schema: object, body: unknown, result: Result, isExpected: boolean): void {
  const validate = ajv.compile(schema);
  const fits = validate(body);
  const about = `${JSON.stringify(body)}\n${result.text}\n${JSON.stringify(schema)}\n${ajv.errorsText(validate.errors)}`;
  if (fits) {
    assert.notEqual(result.status, 400, about);
    if (result.status > 299) assert.ok(!valueErrors.includes(errorOf(result).code), about);
  }
  if (result.status < 300 && isExpected) assert.ok(fits, about);
  if (result.status > 299) counts.rejected++;
}

async function checkRequest(crm: TestCrm, { entity, body, change, stageId, status }: Request): Promise<void> {
  crm.clock.advance(1_000);
  const { plural } = entityModels[entity];
  const hasState = entity === "opportunity";
  const target = hasState ? { ...(stageId && { stageId }), ...(status && { status }) } : {};
  const query = new URLSearchParams(target).toString();
  const schemaFor = (action: string) => crm.send("GET", `/schema/${entity}?for=${action}&${query}`, { key });
  const found = await schemaFor("create");
  // The stage or its pipeline is archived.
  if (found.status === 422) return;
  const schema = dataOf<{ properties: Record<string, { const?: string }> }>(found);
  const created = await crm.send("POST", `/${plural}`, { key, body: hasState ? { ...body, ...target } : body });
  const record = created.status === 201 ? dataOf<Record<string, unknown>>(created, 201) : undefined;
  const isThere = ["stageId", "status"].every((name) => {
    const expected = hasState ? schema.properties[name]?.const : undefined;
    return expected === undefined || expected === record?.[name];
  });
  compare(schema, hasState ? { ...body, ...target } : body, created, isThere);
  if (record === undefined) return;
  counts.created++;
  // A schema for updates admits read-only fields, because their current value is accepted.
  const { closedAt: _, ...writable } = change;
  const patched = { ...writable, ...target };
  const update = dataOf<object>(await schemaFor("update"));
  crm.clock.advance(1_000);
  const result = await crm.send("PATCH", `/${plural}/${record.id}`, { key, body: patched });
  if (result.status === 200) counts.updated++;
  compare(update, patched, result, !dependsOnRecord(patched, record));
}

/**
 * Whether the API accepts a value only because of the record: null for a field without a value, or a part of a value.
 */
function dependsOnRecord(body: object, record: object): boolean {
  const isEmpty = (value: unknown): boolean =>
    value === null ||
    value === undefined ||
    (typeof value === "object" ? Object.values(value) : [`${value}`.trim()]).every((each) => !each);
  const budget = (body as { customFields?: { budget?: object } }).customFields?.budget;
  const pairs = (from: object, to: object): boolean =>
    Object.entries(from).some(([name, value]) => {
      const stored = (to as Record<string, unknown>)[name];
      if (name === "customFields" || name === "address") return pairs(value ?? {}, stored ?? {});
      return isEmpty(value) && isEmpty(stored);
    });
  return pairs(body, record) || (typeof budget === "object" && !("currency" in (budget ?? {})));
}

async function checkCase({ requests, ...generated }: TestCase): Promise<void> {
  const crm = await testCrm([]);
  try {
    const known = generated.customFields.map((field) => `${field.entity}.${field.key}`);
    const possible = generated.rules.filter(({ entity, field }) => {
      return !field.startsWith("customFields.") || known.includes(field.replace("customFields", entity));
    });
    const file = { ...tenantFile(one), ...generated, rules: possible, opportunities: [], tasks: [] };
    await loadTenantFile(crm.storage, JSON.parse(JSON.stringify(file)), { clock: crm.clock, newId: sequentialIds() });
    for (const [index, { body, change, ...rest }] of requests.entries()) {
      const [sent, changed] = [body, change].map((each) =>
        index === 0 ? each : withKnownFields(each, known, rest.entity),
      );
      await checkRequest(crm, { ...rest, body: sent ?? {}, change: changed ?? {} });
    }
  } finally {
    await crm.api.close();
  }
}

test(`GET /schema admits the bodies that the API accepts (FC_SEED=${seed})`, async (t) => {
  await fc.assert(fc.asyncProperty(testCase, checkCase), { seed, numRuns: size(30, 1_000), endOnFailure: true });
  figures(t, "body-schemas.property", counts);
  for (const [outcome, count] of Object.entries(counts)) assert.ok(count > 30, `${count} ${outcome}`);
});
