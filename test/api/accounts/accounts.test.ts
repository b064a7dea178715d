import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm, owner, type Shown, two, unknown, verdict } from "../../support/crm.ts";

const { call, create, read } = await openCrm();

const address = { street: "Vallgatan 14", city: "Göteborg", state: null, postalCode: "411 16", country: "Sweden" };
const everything = {
  name: "Café Lindqvist AB",
  document: "VAT-100200",
  website: "https://lindqvist.example",
  phone: "+46 31 390 06 71",
  email: "Info@Lindqvist.example",
  description: "Two lines\nof text",
  address,
  ownerId: one.member,
  externalId: "ERP-1",
  customFields: { note: "rings", size: 4, lines: ["Filter"] },
};

test("POST /accounts returns the account and its Location", async () => {
  const created = await call("POST", "/accounts", { ...everything, ownerId: one.member.toUpperCase() });
  const { id, createdAt, updatedAt } = dataOf(created, 201);
  assert.deepEqual(created.body, { data: { id, ...everything, createdAt, updatedAt } });
  assert.match(createdAt, /^2026-03-01T12:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(created.headers.get("location"), `accounts/${id}`);
  assert.equal((await call("GET", `/accounts/${id.toUpperCase()}`)).text, created.text);
});

test("POST /accounts needs only a name; the oldest active admin is the default owner", async () => {
  const created = await create("/accounts", { name: "Only a name" });
  const empty = { document: null, website: null, phone: null, email: null, description: null, address: null };
  const rest = { ownerId: owner, externalId: null, customFields: {} };
  const { id, createdAt, updatedAt } = created;
  assert.deepEqual(created, { id, name: "Only a name", ...empty, ...rest, createdAt, updatedAt });
});

test("PATCH /accounts changes the fields in the body, and null clears a field", async () => {
  const before = await create("/accounts", { ...everything, name: "Patched" });
  const emptied = { document: null, website: null, phone: null, email: null, description: null, externalId: null };
  const body = { ...emptied, name: "Patched again", address: null, ownerId: null };
  const changed = dataOf(await call("PATCH", `/accounts/${before.id}`, body));
  assert.deepEqual(changed, { ...before, ...body, updatedAt: changed.updatedAt });
  assert.ok(changed.updatedAt > before.updatedAt);
  assert.deepEqual(await read(`/accounts/${before.id}`), changed);
});

test("PATCH /accounts without a change keeps updatedAt", async () => {
  const before = await create("/accounts", { ...everything, name: "Unchanged" });
  for (const body of [
    {},
    before,
    { address: { postalCode: "411 16", city: "Göteborg", country: "Sweden", street: "Vallgatan 14" } },
    { customFields: {} },
  ]) {
    assert.deepEqual(dataOf(await call("PATCH", `/accounts/${before.id}`, body)), before);
  }
});

test("POST /accounts returns every validation error at once", async () => {
  const cases: readonly (readonly [Record<string, unknown>, string])[] = [
    [{}, "/name required"],
    [{ name: null }, "/name invalid_type"],
    [{ name: " \u00a0\t" }, "/name required"],
    [{ name: "x".repeat(256) }, "/name too_long"],
    [{ name: "\ud800" }, "/name invalid_format"],
    [{ name: "x", email: "ana@example", website: 7 }, "/website invalid_type, /email invalid_format"],
    [{ name: "x", address: [] }, "/address invalid_type"],
    [{ name: "x", address: "Lyon" }, "/address invalid_type"],
    [{ name: "x", address: { zip: "1", city: 2 } }, "/address/zip unknown_key, /address/city invalid_type"],
    [{ name: "x", ownerId: "me", externalId: " " }, "/ownerId invalid_format, /externalId required"],
    [{ name: "x", customFields: null }, "/customFields invalid_type"],
    [{ name: "x", id: unknown, createdAt: "2026-01-01T00:00:00Z" }, "/id read_only, /createdAt read_only"],
  ];
  for (const [body, problems] of cases) {
    assert.equal(verdict(await call("POST", "/accounts", body)), `400 validation_error: ${problems}`);
  }
  const hinted = errorOf(await call("POST", "/accounts", { name: "x", adress: {}, address: { postcode: "1" } }));
  assert.deepEqual(hinted.details?.errors, [
    {
      path: "/adress",
      code: "unknown_key",
      message: 'Unknown field "adress". Did you mean "address"?',
      suggestion: "address",
      allowed: [
        ...["name", "document", "website", "phone", "email", "description", "address", "ownerId", "externalId"],
        ...["customFields", "tenantId"],
      ],
    },
    {
      path: "/address/postcode",
      code: "unknown_key",
      message: 'Unknown field "postcode". Did you mean "postalCode"?',
      suggestion: "postalCode",
      allowed: ["street", "city", "state", "postalCode", "country"],
    },
  ]);
});

test("POST /accounts accepts a name of 255 supplementary characters", async () => {
  const name = "😀".repeat(255);
  assert.equal((await create("/accounts", { name })).name, name);
});

test("ownerId must be an active user of the tenant", async () => {
  const { id } = await create("/accounts", { name: "Owned" });
  const cases = { [unknown]: "not_found", [two.member]: "not_found", [one.inactive]: "inactive" };
  for (const [ownerId, code] of Object.entries(cases)) {
    const rejected = `422 invalid_reference: /ownerId ${code}`;
    assert.equal(verdict(await call("POST", "/accounts", { name: "Not owned", ownerId })), rejected);
    assert.equal(verdict(await call("PATCH", `/accounts/${id}`, { ownerId })), rejected);
  }
});

test("PATCH /accounts accepts an unchanged owner that is disabled", async () => {
  const crm = await openCrm({ "/accounts/0/ownerId": one.inactive });
  const before = await crm.read(`/accounts/${one.account}`);
  const changed = dataOf(await crm.call("PATCH", `/accounts/${one.account}`, { ...before, phone: "1" }));
  assert.deepEqual(changed, { ...before, phone: "1", updatedAt: changed.updatedAt });
});

test("an ownerId of null is stored; the default applies only if ownerId is omitted", async () => {
  assert.equal((await create("/accounts", { name: "Without owner", ownerId: null })).ownerId, null);
});

test("without an active admin, POST /accounts requires ownerId, which can be null", async () => {
  const crm = await openCrm({ "/users/0/role": "member", "/users/3/active": false });
  const message = "ownerId is required because the tenant has no active admin.";
  for (const path of ["/accounts", "/contacts", "/opportunities"]) {
    const rejected = await crm.call("POST", path, { name: "Without owner" });
    assert.equal(rejected.status, 409);
    assert.deepEqual(rejected.body, { error: { code: "tenant_without_admin", message } });
    assert.equal((await crm.create(path, { name: "Without owner", ownerId: null })).ownerId, null);
    assert.equal((await crm.create(path, { name: "Max's", ownerId: one.member })).ownerId, one.member);
  }
  assert.equal(verdict(await crm.call("PATCH", `/accounts/${one.account}`, { phone: "1" })), "200");
});

test("POST /accounts reports validation errors before a missing default owner", async () => {
  const crm = await openCrm({ "/users/0/role": "member", "/users/3/active": false });
  const rejected = await crm.call("POST", "/accounts", { name: "x", customFields: { sise: 1 } });
  assert.equal(verdict(rejected), "422 unknown_custom_field: /customFields/sise unknown_key");
});

test("an archived account returns 404 until it is restored, and includeArchived returns its archivedAt", async () => {
  const before = await create("/accounts", { ...everything, name: "Archived", externalId: "A-1" });
  const path = `/accounts/${before.id}`;
  assert.deepEqual((await call("DELETE", path)).status, 204);
  for (const [method, body] of [["GET"], ["PATCH", { name: "x" }], ["DELETE"]] as const) {
    assert.equal(verdict(await call(method, path, body)), "404 not_found", method);
  }
  assert.deepEqual((await call("GET", "/accounts?externalId=A-1")).body, { data: [], nextCursor: null });
  const [archivedAccount] = dataOf<Shown[]>(await call("GET", "/accounts?externalId=A-1&includeArchived=true"));
  const archivedAt = archivedAccount?.updatedAt ?? "";
  assert.ok(archivedAt > before.updatedAt);
  assert.deepEqual(archivedAccount, { ...before, updatedAt: archivedAt, archivedAt });
  const restored = dataOf(await call("POST", `${path}/restore`));
  assert.ok(restored.updatedAt > archivedAt);
  assert.deepEqual(restored, { ...before, updatedAt: restored.updatedAt });
  assert.deepEqual(dataOf(await call("POST", `${path}/restore`)), restored);
});

test("GET /accounts returns exactly the accounts that match each filter", async () => {
  const crm = await openCrm();
  const acme = await crm.read(`/accounts/${one.account}`);
  const a = await crm.create("/accounts", { name: "ＡＣＭＥ  Söhne", ownerId: one.member, externalId: "E 1" });
  const b = await crm.create("/accounts", { name: "acme sohne", ownerId: one.member, externalId: "e 1" });
  const cases: Readonly<Record<string, readonly Shown[]>> = {
    "": [acme, a, b],
    [`name=${encodeURIComponent("  acme\u00a0SÖHNE ")}`]: [a],
    "name=ACME+SOHNE": [b],
    "name=acme": [acme],
    "name=acm": [],
    "name=gone": [],
    [`ownerId=${one.member}`]: [a, b],
    [`ownerId=${two.member}`]: [],
    "externalId=E%201": [a],
    [`name=acme+sohne&ownerId=${one.member.toUpperCase()}&externalId=e+1&tenantId=${one.id}`]: [b],
    "name=acme&externalId=E+1": [],
  };
  for (const [query, data] of Object.entries(cases)) {
    assert.deepEqual((await crm.call("GET", `/accounts?${query}`)).body, { data, nextCursor: null }, query);
  }
  const rejected = await crm.call("GET", "/accounts?name=&ownerId=me&email=a@b.example");
  const problems = "?email unknown_key, ?name required, ?ownerId invalid_format";
  assert.equal(verdict(rejected), `400 validation_error: ${problems}`);
});

test("PATCH /accounts merges the members of an address", async () => {
  const nothing = { street: null, city: null, state: null, postalCode: null, country: null };
  const created = await create("/accounts", { name: "Somewhere", address: { city: "Lyon" } });
  assert.deepEqual(created.address, { ...nothing, city: "Lyon" });
  const moved = dataOf(await call("PATCH", `/accounts/${created.id}`, { address: { country: "France" } }));
  assert.deepEqual(moved.address, { ...nothing, city: "Lyon", country: "France" });
  const same = dataOf(await call("PATCH", `/accounts/${created.id}`, { address: {} }));
  assert.deepEqual(same, moved);
  const cleared = dataOf(await call("PATCH", `/accounts/${created.id}`, { address: { city: null, country: "" } }));
  assert.deepEqual(cleared.address, nothing);
  assert.equal(dataOf(await call("PATCH", `/accounts/${created.id}`, { address: null })).address, null);
  const again = dataOf(await call("PATCH", `/accounts/${created.id}`, { address: { city: "Nice" } }));
  assert.deepEqual(again.address, { ...nothing, city: "Nice" });
  assert.equal((await create("/accounts", { name: "Nowhere", address: {} })).address, null);
});

test("an empty text in an optional field of an account means null", async () => {
  const texts = { document: "", website: "", phone: "", email: "", description: "", externalId: "" };
  const created = await create("/accounts", { name: "Empty", ...texts });
  for (const name of Object.keys(texts)) assert.equal(created[name], null, name);
  const { id } = await create("/accounts", { name: "Filled", phone: "1", email: "a@b.test" });
  const changed = dataOf(await call("PATCH", `/accounts/${id}`, { phone: "", email: "" }));
  assert.deepEqual([changed.phone, changed.email], [null, null]);
});
