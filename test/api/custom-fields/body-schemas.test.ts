import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createClient } from "../../../lib/client/index.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { baseUrl, sequentialIds, testCrm } from "../../support/harness.ts";
import { dataOf, errorOf } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const tenant = testTenant(1);
const other = testTenant(2);
const { api, storage, clock, send } = await testCrm([other]);
after(() => api.close());

const wonStage = "01950001-0000-7000-9007-000000000002";
const base = tenantFile(tenant) as { readonly pipelines: readonly { readonly stages: readonly object[] }[] };
await loadTenantFile(
  storage,
  {
    ...base,
    pipelines: base.pipelines.map((pipeline) => ({
      ...pipeline,
      lostReasons: ["Price", "Delay"],
      requireLostReason: true,
      stages: [...pipeline.stages, { id: wonStage, name: "Order", order: 2 }],
    })),
    customFields: [
      { entity: "account", key: "segment", label: "Segment", type: "list", options: ["S", "L"], required: true },
      { entity: "account", key: "note", label: "Note", description: "Free text.", type: "text", maxLength: 20 },
      { entity: "account", key: "credit", label: "Credit", type: "currency" },
      {
        entity: "account",
        key: "tags",
        label: "Tags",
        type: "multi_list",
        options: ["a", "b"],
        optionLabels: { a: "Alpha" },
      },
    ],
    rules: [
      { entity: "account", field: "phone" },
      { entity: "account", field: "customFields.note" },
      { entity: "opportunity", field: "amount", when: { stageIds: [wonStage] } },
      { entity: "opportunity", field: "expectedCloseDate", when: { statuses: ["won"] } },
    ],
  },
  { clock, newId: sequentialIds() },
);
const { key } = tenant;

type Schema = {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, Schema & Readonly<Record<string, unknown>>>>;
};
const schemaOf = async (path: string) => dataOf<Schema>(await send("GET", `/schema/${path}`, { key }));

test("GET /schema/account returns the tenant's custom fields with their types, options and labels", async () => {
  const { customFields } = (await schemaOf("account")).properties;
  assert.deepEqual(customFields, {
    type: "object",
    description: "Custom field values by key. `null` removes a value.",
    additionalProperties: false,
    required: ["segment", "note"],
    properties: {
      segment: { title: "Segment", enum: ["S", "L"] },
      note: {
        title: "Note",
        description: "Free text.",
        type: "string",
        minLength: 1,
        maxLength: 20,
        pattern: "^[^\\u0000]*$",
        allOf: [{ pattern: "\\S" }],
      },
      credit: {
        title: "Credit",
        anyOf: [
          { type: "number" },
          {
            type: "object",
            properties: {
              amount: { type: "number" },
              currency: { type: "string", format: "iso-4217", pattern: "^[A-Za-z]{3}$" },
            },
            required: ["amount", "currency"],
            additionalProperties: false,
          },
          { type: "null" },
        ],
      },
      tags: {
        title: "Tags",
        type: ["array", "null"],
        items: {
          oneOf: [
            { const: "a", title: "Alpha" },
            { const: "b", title: "b" },
          ],
        },
      },
    },
  });
});

test("GET /schema/account requires what the model, the custom fields and the rules require", async () => {
  assert.deepEqual((await schemaOf("account")).required, ["name", "customFields", "phone"]);
  const update = await schemaOf("account?for=update");
  assert.equal(update.required, undefined);
  assert.equal(update.properties.phone?.type, "string");
  assert.equal(update.properties.customFields?.required, undefined);
});

test("GET /schema/opportunity describes the default stage and status", async () => {
  const { required, properties } = await schemaOf("opportunity");
  assert.deepEqual(required, ["name"]);
  assert.equal(properties.stageId?.const, tenant.stage);
  assert.equal(properties.status?.const, "open");
  assert.deepEqual(properties.lostReason?.enum, [null, ""]);
});

test("GET /schema/opportunity?stageId=&status= requires what the rules require there", async () => {
  const lost = await schemaOf(`opportunity?stageId=${wonStage}&status=lost`);
  assert.deepEqual(lost.required, ["name", "stageId", "status", "lostReason", "amount"]);
  assert.deepEqual(lost.properties.lostReason?.enum, ["Price", "Delay"]);
  const won = await schemaOf("opportunity?status=won");
  assert.deepEqual(won.required, ["name", "status", "expectedCloseDate"]);
  const update = await schemaOf(`opportunity?for=update&stageId=${wonStage}`);
  assert.deepEqual(update.required, ["stageId"]);
  assert.equal(update.properties.amount?.type, "number");
  assert.deepEqual(update.properties.expectedCloseDate?.type, ["string", "null"]);
});

test("GET /schema/opportunity returns 422 invalid_reference for a stage of another tenant", async () => {
  for (const stageId of [other.stage, "0199c0a1-2b3c-7d4e-8f50-617283940a1b"]) {
    const result = await send("GET", `/schema/opportunity?stageId=${stageId}`, { key });
    assert.equal(result.status, 422);
    const errors = [{ path: "?stageId", code: "not_found", message: "The stage in stageId doesn't exist." }];
    assert.deepEqual(errorOf(result).details, { errors });
  }
});

test("GET /schema/account returns 304 until the tenant's fields change", async () => {
  const first = await send("GET", "/schema/account", { key });
  const etag = first.headers.get("etag") ?? "";
  const again = await send("GET", "/schema/account", { key, headers: { "if-none-match": etag } });
  assert.deepEqual([again.status, again.text], [304, ""]);
  const elsewhere = await send("GET", "/schema/account", { key: other.key, headers: { "if-none-match": etag } });
  assert.equal(elsewhere.status, 200);
});

test("GET /schema/task returns 403 without tasks:read", async () => {
  assert.equal((await send("GET", "/schema/task", { key: tenant.readKey })).status, 200);
  assert.equal((await send("GET", "/schema/account", { key: tenant.readKey })).status, 403);
});

test("GET /openapi.json with an API key describes the fields of its tenant", async () => {
  type Description = { readonly components: { readonly schemas: Readonly<Record<string, Schema>> } };
  const described = async (headers: Record<string, string>) => {
    const result = await send("GET", "/openapi.json", { key: null, headers });
    return (result.body as Description).components.schemas;
  };
  const own = await described({ "x-api-key": key });
  for (const name of ["Account", "AccountCreate", "AccountUpdate", "AccountUpsertInput"]) {
    const keys = Object.keys(own[name]?.properties.customFields?.properties ?? {});
    assert.deepEqual(keys, ["segment", "note", "credit", "tags"], name);
  }
  assert.deepEqual(own.AccountCreate?.required, ["name", "customFields", "phone"]);
  assert.deepEqual(await described({ authorization: `Bearer ${key}` }), own);
  const general = await described({});
  assert.deepEqual(general.AccountCreate?.required, ["name"]);
  assert.deepEqual(await described({ authorization: "Basic Z2F0ZXdheQ==" }), general);
  const theirs = await described({ "x-api-key": other.key });
  assert.deepEqual(theirs.Account?.properties.customFields?.properties, {});
  assert.equal((await send("GET", "/openapi.json", { key: "crm_test_wrong" })).status, 401);
});

test("client.schema returns the schema of an entity", async () => {
  const client = createClient({ baseUrl, apiKey: key, fetch: (input, init) => api.fetch(new Request(input, init)) });
  assert.deepEqual(await client.schema("account"), await schemaOf("account"));
  const query = { for: "update", stageId: wonStage } as const;
  assert.deepEqual(
    await client.schema("opportunity", query),
    await schemaOf(`opportunity?for=update&stageId=${wonStage}`),
  );
});
