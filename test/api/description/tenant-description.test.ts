import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { runEndpoint } from "../../../lib/api/run-endpoint.ts";
import { makeApiKey } from "../../../lib/auth/api-key.ts";
import { internals } from "../../../lib/http/create-api.ts";
import { describeEntities } from "../../../lib/http/docs/describe-entities.ts";
import { tenantDescription } from "../../../lib/http/docs/tenant-description.ts";
import type { HttpResponse } from "../../../lib/index.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { Reader } from "../../openapi/reader.ts";
import { responseProblems } from "../../openapi/response-problems.ts";
import { baseUrl, type Result, sequentialIds, testCrm } from "../../support/harness.ts";
import { dataOf } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
const accountKey = makeApiKey("test", randomBytes);

const crm = await testCrm([two]);
after(() => crm.api.close());

const base = tenantFile(one);
const customFields = [
  { entity: "account", key: "segment", label: "Segment", type: "list", options: ["S", "L"] },
  { entity: "account", key: "tags", label: "Tags", type: "multi_list", options: ["a", "b"], optionLabels: { a: "A" } },
  { entity: "account", key: "deliveryNotes", label: "Notes", type: "text", maxLength: 20 },
  { entity: "account", key: "sites", label: "Sites", type: "text", maxLength: 3, required: true },
  { entity: "contact", key: "language", label: "Language", type: "number" },
];
await loadTenantFile(
  crm.storage,
  {
    ...base,
    customFields,
    rules: [
      { entity: "account", field: "phone" },
      { entity: "task", field: "description" },
    ],
    integrations: [
      ...(base.integrations as object[]),
      { name: "Accounts", scopes: ["accounts:read", "tasks:write"], keys: [{ key: accountKey }] },
    ],
  },
  { clock: crm.clock, newId: sequentialIds() },
);

type Schema = { readonly required?: readonly string[]; readonly properties?: Readonly<Record<string, Schema>> };
type Description = { readonly components: { readonly schemas: Readonly<Record<string, Schema>> } };

const describe = (headers: Record<string, string>): Promise<Result> =>
  crm.send("GET", "/openapi.json", { key: null, headers });
const described = async (key: string) => (await describe({ "x-api-key": key })).body as Description;
const { operations } = crm.api;
const caller = { tenantId: one.id, scopes: [], userId: one.admin };

/** Returns the custom field with this key. */
async function fieldOf(key: string): Promise<{ readonly id: string }> {
  const { body } = await operations.adminListCustomFields({ caller });
  return body.data.find((field) => field.key === key) ?? assert.fail(`no field ${key}`);
}

test("responses with removed options and shortened texts fit the description of the tenant", async () => {
  const body = {
    ...{ name: "Lind", phone: "1" },
    customFields: { segment: "L", tags: ["a", "b"], deliveryNotes: "Ring twice.", sites: "4" },
  };
  const { id } = dataOf(await crm.send("POST", "/accounts", { key: one.key, body }), 201);
  const segment = await fieldOf("segment");
  const [tags, notes] = [await fieldOf("tags"), await fieldOf("deliveryNotes")];
  await operations.adminUpdateCustomField({ caller, params: { id: segment.id }, body: { options: ["S"] } });
  const labels = { options: ["b"], optionLabels: {} };
  await operations.adminUpdateCustomField({ caller, params: { id: tags.id }, body: labels });
  await operations.adminUpdateCustomField({ caller, params: { id: notes.id }, body: { maxLength: 4 } });
  const reader = new Reader(await described(one.key));
  for (const path of [`/accounts/${id}`, "/accounts", "/search?q=lind"]) {
    const result = await crm.send("GET", path, { key: one.key });
    assert.match(result.text, /"segment":"L","tags":\["a","b"\],"deliveryNotes":"Ring twice\."/);
    assert.deepEqual(responseProblems(reader, { method: "GET", url: baseUrl + path, ...result }), [], path);
  }
});

test("the examples in the description of a tenant fit its schemas", async () => {
  const description = await described(one.key);
  const reader = new Reader(description);
  const problems = [...examplesIn(description)].flatMap(([path, example]) =>
    reader.schemaErrors(`${path}/schema`, example, path),
  );
  // An example of a request can't have the built-in fields that a rule requires.
  const wrong = problems.filter((problem) => problem.includes("/responses/") || problem.includes("customFields"));
  assert.deepEqual(wrong, []);
});

/** Returns the example bodies of a description with the path of their media type. */
function* examplesIn(value: unknown, path = ""): Generator<[string, unknown]> {
  if (typeof value !== "object" || value === null) return;
  if ("schema" in value && "example" in value && path.endsWith("json")) yield [path, value.example];
  for (const [key, each] of Object.entries(value)) yield* examplesIn(each, `${path}/${key.replaceAll("/", "~1")}`);
}

test("the description shows the fields and rules only of entities that the API key may read", async () => {
  const general = (await describe({})).body as Description;
  for (const key of [one.readKey, one.bareKey]) {
    const { AccountCreate, Account, ContactCreate } = (await described(key)).components.schemas;
    const expected = general.components.schemas;
    assert.deepEqual([AccountCreate, Account], [expected.AccountCreate, expected.Account]);
    assert.deepEqual(ContactCreate, expected.ContactCreate);
  }
  assert.deepEqual(await described(one.bareKey), general);
  assert.deepEqual((await described(one.readKey)).components.schemas.TaskCreate?.required, ["title", "description"]);
  const { Account, Contact, TaskCreate } = (await described(accountKey)).components.schemas;
  const keys = customFields.filter(({ entity }) => entity === "account").map(({ key }) => key);
  assert.deepEqual(Object.keys(Account?.properties?.customFields?.properties ?? {}), keys);
  assert.equal(Contact?.properties?.customFields?.properties, undefined);
  assert.deepEqual(TaskCreate?.required, ["title"]);
});

test("GET /openapi.json with an invalid API key returns 401 instead of the general description", async () => {
  const rejected: readonly Record<string, string>[] = [
    { "x-api-key": "" },
    { "x-api-key": one.revokedKey },
    { authorization: one.key },
    { authorization: "Bearer" },
    { authorization: `Token ${one.key}` },
    { authorization: `bearer ${one.expiredKey}` },
  ];
  for (const headers of rejected) assert.equal((await describe(headers)).status, 401, JSON.stringify(headers));
  assert.equal((await describe({ authorization: "Basic Z2F0ZXdheQ==" })).status, 200);
});

test("the text for a tenant is built once until its fields change, and not at all for a 304", async () => {
  let count = 0;
  const countingDescription = () =>
    tenantDescription((...parameters) => {
      count++;
      return describeEntities(...parameters);
    });
  const request = {
    caller: { ...caller, integrationId: null, keyId: null, scopes: ["accounts:read"] },
    params: {},
    query: {},
    body: undefined,
  };
  const description = countingDescription();
  const read = (ifNoneMatch?: string, endpoint = description) =>
    runEndpoint(crm.api[internals], endpoint, { ...request, ifNoneMatch });
  const first = await read();
  // Records the use of an API key, which changes the settings version.
  crm.clock.advance(120_000);
  await crm.send("GET", "/me", { key: one.key });
  await crm.api.idle();
  assert.equal((await read()).body, first.body);
  assert.equal(count, 1);
  const { ETag = "" } = first.headers;
  const unchanged = await read(ETag, countingDescription());
  assert.deepEqual([unchanged.status, unchanged.body, unchanged.headers], [304, null, { ETag }]);
  assert.equal(count, 1);
  const { id } = await fieldOf("segment");
  await operations.adminUpdateCustomField({ caller, params: { id }, body: { label: "Size" } });
  assert.equal((await read(ETag)).status, 200);
  assert.equal(count, 2);
});

test("the ETag of the description differs by tenant, scopes and settings", async () => {
  const etagOf = async (key: string) => (await describe({ "x-api-key": key })).headers.get("etag");
  const etags = [await etagOf(one.key), await etagOf(two.key), await etagOf(accountKey), await etagOf(one.bareKey)];
  assert.equal(new Set(etags).size, 4);
  const { id } = await fieldOf("language");
  await operations.adminUpdateCustomField({ caller, params: { id }, body: { label: "Spoken language" } });
  assert.notEqual(await etagOf(one.key), etags[0]);
  const changed = await describe({ "x-api-key": one.key, "if-none-match": etags[0] ?? "" });
  assert.match(changed.text, /"title":"Spoken language"/);
});

test("the text of the general description is built once per prefix, for the latest 100 prefixes", async () => {
  const app = crm.api.app({ forwardedPrefix: true });
  const bodyFor = async (prefix?: string): Promise<HttpResponse["body"]> => {
    const sent = Promise.withResolvers<HttpResponse>();
    const headers: Record<string, string> = prefix === undefined ? {} : { "x-forwarded-prefix": prefix };
    const transport = { readBody: () => new Uint8Array(), send: sent.resolve };
    await app.fetch(new Request(`${baseUrl}/openapi.json`, { headers }), { transport });
    return (await sent.promise).body;
  };
  for (const prefix of [undefined, "/p0"]) {
    const [built, again] = [await bodyFor(prefix), await bodyFor(prefix)];
    assert.ok(built === again, prefix);
  }
  const first = await bodyFor("/p0");
  for (let number = 1; number < 100; number++) await bodyFor(`/p${number}`);
  assert.ok(first === (await bodyFor("/p0")));
  for (let number = 100; number < 200; number++) await bodyFor(`/p${number}`);
  const again = await bodyFor("/p0");
  assert.ok(first !== again);
  assert.deepEqual(again, first);
});
