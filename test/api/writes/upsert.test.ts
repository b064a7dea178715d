import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm, sales, two, verdict } from "../../support/crm.ts";
import type { Result } from "../../support/harness.ts";

const crm = await openCrm({ "/rules": [{ entity: "account", field: "phone" }] });
const { call, create, read, clock } = crm;
const what = (result: Result): string | null => result.headers.get("x-upsert");

for (const [path, field, value, body] of [
  ["/accounts", "name", "Nord", { phone: "1" }],
  ["/accounts", "externalId", "A-1", { name: "Süd", phone: "1" }],
  ["/contacts", "email", "ina@tenant.test", { name: "Ina" }],
  ["/contacts", "externalId", "C-1", { name: "Ole" }],
  ["/opportunities", "externalId", "O-1", { name: "Deal" }],
] as const) {
  test(`POST ${path}/upsert?matchBy=${field} creates, updates and leaves unchanged`, async () => {
    const url = `${path}/upsert?matchBy=${field}`;
    const created = await call("POST", url, { ...body, [field]: value });
    const record = dataOf(created, 201);
    assert.deepEqual([what(created), created.headers.get("location")], ["created", `../${path.slice(1)}/${record.id}`]);
    assert.deepEqual(await read(`${path}/${record.id}`), record);
    const unchanged = await call("POST", url, { [field]: value });
    assert.deepEqual([what(unchanged), dataOf(unchanged, 200)], ["unchanged", record]);
    const updated = await call("POST", url, { [field]: value, ownerId: null });
    assert.deepEqual([what(updated), updated.headers.get("location")], ["updated", null]);
    const { updatedAt, ...changed } = dataOf(updated, 200);
    assert.deepEqual({ ...changed, updatedAt: record.updatedAt }, { ...record, ownerId: null });
    assert.ok(updatedAt > record.updatedAt);
  });
}

test("an upsert compares as for duplicates, and stores what was sent", async () => {
  const { id } = await create("/accounts", { name: "Straße  AG", phone: "1" });
  const matched = await call("POST", "/accounts/upsert?matchBy=name", { name: "STRASSE ag" });
  assert.deepEqual([what(matched), dataOf(matched).id, dataOf(matched).name], ["updated", id, "STRASSE ag"]);
});

test("an upsert that creates needs the required fields, and one that updates doesn't", async () => {
  const url = "/accounts/upsert?matchBy=externalId";
  const rejected = await call("POST", url, { externalId: "new", customFields: { odd: 1 } });
  assert.equal(
    verdict(rejected),
    "400 validation_error: /name required, /phone required, /customFields/odd unknown_key",
  );
  const rule = await call("POST", url, { externalId: "new", name: "New" });
  assert.equal(verdict(rule), "422 validation_error: /phone required");
});

test("POST /upsert returns 409 ambiguous with the IDs if several records match", async () => {
  const ids = [];
  for (const name of ["Twin 1", "Twin 2"]) ids.push((await create("/contacts", { name, externalId: "twin" })).id);
  const rejected = await call("POST", "/contacts/upsert?matchBy=externalId", { externalId: "twin" });
  assert.equal(rejected.status, 409);
  assert.deepEqual(errorOf(rejected).details, { reason: "ambiguous", ids });
});

test("onlyIf=exists returns 404 instead of creating, and onlyIf=absent 409 instead of updating", async () => {
  const url = "/contacts/upsert?matchBy=email";
  const body = { name: "Eva", email: "eva@tenant.test" };
  assert.equal(verdict(await call("POST", `${url}&onlyIf=exists`, body)), "404 not_found");
  const { id: existingId } = dataOf(await call("POST", `${url}&onlyIf=absent`, body), 201);
  const rejected = errorOf(await call("POST", `${url}&onlyIf=absent`, body));
  assert.deepEqual([rejected.code, rejected.details], ["duplicate", { existingId, field: "email" }]);
  assert.equal(what(await call("POST", `${url}&onlyIf=exists`, { ...body, phone: "1" })), "updated");
});

test("the value of matchBy must be in the body", async () => {
  const url = "/contacts/upsert?matchBy=email";
  for (const body of [{}, { email: null }, { email: "" }]) {
    const rejected = await call("POST", url, { ...body, name: "Eva", odd: 1 });
    assert.equal(verdict(rejected), "400 validation_error: /email required, /odd unknown_key");
  }
  assert.equal(verdict(await call("POST", url, { email: "odd" })), "400 validation_error: /email invalid_format");
  assert.equal(verdict(await call("POST", url, { email: 5 })), "400 validation_error: /email invalid_type");
});

test("matchBy must be a field of the kind that identifies records", async () => {
  const rejected = await call("POST", "/contacts/upsert?matchBy=name", { name: "Eva", email: 5 });
  assert.equal(verdict(rejected), "400 validation_error: ?matchBy not_an_option, /email invalid_type");
  assert.equal(verdict(await call("POST", "/contacts/upsert", {})), "400 validation_error: ?matchBy required");
  assert.equal(verdict(await call("POST", "/tasks/upsert?matchBy=title", { title: "x" })), "405 bad_request");
});

test("an upsert doesn't match archived records, and can create the value again", async () => {
  const url = "/opportunities/upsert?matchBy=externalId";
  const ids = new Set<string>();
  for (const round of [1, 2, 3]) {
    const made = await call("POST", url, { externalId: "again", name: `Round ${round}` });
    assert.equal(what(made), "created");
    ids.add(dataOf(made, 201).id);
    assert.equal((await call("DELETE", `/opportunities/${dataOf(made, 201).id}`)).status, 204);
  }
  assert.equal(ids.size, 3);
});

test("an upsert of a record whose externalId was changed creates another one", async () => {
  const url = "/contacts/upsert?matchBy=externalId";
  const first = dataOf(await call("POST", url, { externalId: "moved", name: "First" }), 201);
  await call("PATCH", `/contacts/${first.id}`, { externalId: "elsewhere" });
  assert.notEqual(dataOf(await call("POST", url, { externalId: "moved", name: "Second" }), 201).id, first.id);
});

test("concurrent upserts with one value create one record", async () => {
  for (const [path, field, value] of [
    ["/contacts", "externalId", "race"],
    ["/contacts", "email", "race@tenant.test"],
    ["/accounts", "name", "Race"],
  ] as const) {
    const body = { name: "Race", phone: "1", [field]: value };
    const url = `${path}/upsert?matchBy=${field}`;
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        crm.send("POST", url, { key: one.key, body: { ...body, phone: `${index}` } }),
      ),
    );
    assert.deepEqual(results.map(what).sort(), ["created", ...Array(7).fill("updated")]);
    assert.equal(new Set(results.map((result) => dataOf(result, result.status).id)).size, 1);
  }
});

test("a replay of an upsert returns the stored response", async () => {
  const headers = { "idempotency-key": "order-1" };
  const sent = { key: one.key, headers, body: { name: "Once", externalId: "once" } };
  const url = "/contacts/upsert?matchBy=externalId";
  const first = await crm.send("POST", url, sent);
  clock.advance(1_000);
  const second = await crm.send("POST", url, sent);
  assert.deepEqual([second.status, second.text], [201, first.text]);
  assert.equal(second.headers.get("idempotent-replayed"), "true");
});

test("an upsert follows the rules of PATCH for the record that it finds", async () => {
  const url = "/opportunities/upsert?matchBy=externalId";
  await call("POST", url, { name: "Deal", externalId: "closed", status: "won" });
  const rejected = await call("POST", url, { externalId: "closed", stageId: sales.offer });
  assert.equal(verdict(rejected), "409 conflict");
});

test("an upsert of one tenant doesn't find the records of another", async () => {
  const body = { name: "Alone", externalId: "alone" };
  const url = "/contacts/upsert?matchBy=externalId";
  const mine = dataOf(await call("POST", url, body), 201);
  const other = await crm.send("POST", url, { key: two.key, body });
  assert.deepEqual([other.status, dataOf(other, 201).id === mine.id], [201, false]);
});

test("other methods of /upsert and /batch return 405", async () => {
  for (const path of ["/accounts/upsert", "/accounts/batch", "/tasks/batch"])
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const rejected = await call(method, path);
      assert.deepEqual([rejected.status, rejected.headers.get("allow")], [405, "POST, OPTIONS"], `${method} ${path}`);
    }
});

test("a dry run of an upsert tells what would happen", async () => {
  const body = { name: "Dry", externalId: "dry" };
  const sent = { key: one.key, headers: { prefer: "dry-run" }, body };
  const dry = await crm.send("POST", "/contacts/upsert?matchBy=externalId", sent);
  assert.deepEqual([dry.status, what(dry), dry.headers.get("preference-applied")], [201, "created", "dry-run"]);
  assert.equal(what(await call("POST", "/contacts/upsert?matchBy=externalId", body)), "created");
});
