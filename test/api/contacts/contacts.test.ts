import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertDuplicate,
  dataOf,
  one,
  openCrm,
  owner,
  type Shown,
  two,
  unknown,
  verdict,
  winnerOf,
} from "../../support/crm.ts";

const { call, create, read } = await openCrm();

const everything = {
  name: "Paula Nováková",
  email: "Paula.Novak@Example.test",
  phone: "+420 1",
  jobTitle: "Buyer",
  accountId: one.account,
  ownerId: one.member,
  externalId: "C-1",
  customFields: { since: "2024-02-29", budget: { amount: 10.5, currency: "CZK" } },
};

test("POST /contacts returns the contact and its Location", async () => {
  const made = await call("POST", "/contacts", { ...everything, email: ` ${everything.email}\n` });
  const { id, createdAt, updatedAt } = dataOf(made, 201);
  assert.deepEqual(made.body, { data: { id, ...everything, createdAt, updatedAt } });
  assert.equal(made.headers.get("location"), `contacts/${id}`);
  assert.equal((await call("GET", `/contacts/${id}`)).text, made.text);
});

test("POST /contacts needs only a name; many contacts may have no email", async () => {
  const [first, second] = [await create("/contacts", { name: "No" }), await create("/contacts", { name: "No" })];
  const empty = { email: null, phone: null, jobTitle: null, accountId: null, externalId: null, customFields: {} };
  const { id, createdAt, updatedAt } = first;
  assert.deepEqual(first, { id, name: "No", ...empty, ownerId: owner, createdAt, updatedAt });
  const times = { createdAt: second.createdAt, updatedAt: second.updatedAt };
  assert.deepEqual(second, { ...first, id: second.id, ...times });
  const third = await create("/contacts", { name: "Yes", email: "yes@no.test" });
  assert.equal(dataOf(await call("PATCH", `/contacts/${third.id}`, { email: null })).email, null);
});

test("PATCH /contacts changes the fields in the body, and null clears a field", async () => {
  const before = await create("/contacts", { ...everything, email: "patched@example.test" });
  const path = `/contacts/${before.id}`;
  const body = { name: "P. N.", email: null, phone: null, jobTitle: null, accountId: null, ownerId: null };
  const changed = dataOf(await call("PATCH", path, { ...body, customFields: { since: null } }));
  const customFields = { budget: { amount: 10.5, currency: "CZK" } };
  assert.deepEqual(changed, { ...before, ...body, customFields, updatedAt: changed.updatedAt });
  assert.ok(changed.updatedAt > before.updatedAt);
  assert.deepEqual(await read(path), changed);
  assert.deepEqual(dataOf(await call("PATCH", path, changed)), changed);
});

test("POST /contacts returns every validation error at once", async () => {
  const cases: readonly (readonly [Record<string, unknown>, string])[] = [
    [{ email: "a@b.test" }, "/name required"],
    [{ name: "x", email: "@" }, "/email invalid_format"],
    [{ name: "x", email: "a b@c.test" }, "/email invalid_format"],
    [{ name: "x", email: "a@b.test,c@d.test" }, "/email invalid_format"],
    [{ name: "x", email: `${"a".repeat(248)}@b.test` }, "/email too_long"],
    [{ name: "x", email: ["a@b.test"] }, "/email invalid_type"],
    [{ name: "x", jobTitle: "x".repeat(256), phone: "\0" }, "/phone invalid_format, /jobTitle too_long"],
    [{ name: "x", account: one.account, contactId: 1 }, "/account unknown_key, /contactId unknown_key"],
    [{ name: "x", accountId: "", customFields: [] }, "/accountId invalid_format, /customFields invalid_type"],
  ];
  for (const [body, problems] of cases) {
    assert.equal(verdict(await call("POST", "/contacts", body)), `400 validation_error: ${problems}`);
  }
});

test("accountId must be an unarchived account of the tenant", async () => {
  const { id } = await create("/contacts", { name: "Of no account" });
  for (const accountId of [unknown, two.account, one.archivedAccount, one.contact]) {
    const rejected = "422 invalid_reference: /accountId not_found";
    const made = await call("POST", "/contacts", { name: "x", accountId });
    assert.equal(verdict(made), rejected);
    assert.equal((await call("PATCH", `/contacts/${id}`, { accountId })).text, made.text);
  }
  const both = { name: "x", accountId: unknown, ownerId: one.inactive };
  const problems = "/accountId not_found, /ownerId inactive";
  assert.equal(verdict(await call("POST", "/contacts", both)), `422 invalid_reference: ${problems}`);
});

test("a contact keeps its archived account, and can be changed and restored", async () => {
  const { id: accountId } = await create("/accounts", { name: "Leaving" });
  const before = await create("/contacts", { name: "Staying", accountId });
  const path = `/contacts/${before.id}`;
  await call("DELETE", `/accounts/${accountId}`);
  assert.equal(dataOf(await call("PATCH", path, { phone: "1", accountId })).accountId, accountId);
  await call("DELETE", path);
  const restored = dataOf(await call("POST", `${path}/restore`));
  assert.deepEqual(restored, { ...before, phone: "1", updatedAt: restored.updatedAt });
  dataOf(await call("PATCH", path, { accountId: null }));
  assert.equal(verdict(await call("PATCH", path, { accountId })), "422 invalid_reference: /accountId not_found");
});

test("GET /contacts returns exactly the contacts that match each filter", async () => {
  const crm = await openCrm();
  const carla = await crm.read(`/contacts/${one.contact}`);
  const a = await crm.create("/contacts", { name: "A", email: "A.Ä@x.test", accountId: one.account, externalId: "1" });
  const b = await crm.create("/contacts", { name: "B", email: "b@x.test", ownerId: one.member, externalId: "1" });
  const c = await crm.create("/contacts", { name: "C", accountId: one.account, ownerId: one.member });
  const d = await crm.create("/contacts", { name: "D", accountId: one.account, email: "d@x.test" });
  await crm.call("DELETE", `/contacts/${d.id}`);
  const cases: Readonly<Record<string, readonly Shown[]>> = {
    "": [carla, a, b, c],
    [`email=${encodeURIComponent(" a.ä@X.TEST ")}`]: [a],
    "email=d@x.test": [],
    [`accountId=${one.account}`]: [carla, a, c],
    [`ownerId=${one.member}`]: [b, c],
    [`ownerId=${owner}`]: [a],
    "externalId=1": [a, b],
    [`accountId=${one.account}&ownerId=${one.member}`]: [c],
    "externalId=1&email=B@x.test": [b],
    [`accountId=${two.account}`]: [],
    [`updatedSince=${b.updatedAt}&externalId=1`]: [b],
  };
  for (const [query, data] of Object.entries(cases)) {
    assert.deepEqual((await crm.call("GET", `/contacts?${query}`)).body, { data, nextCursor: null }, query);
  }
  const archived = await crm.call("GET", "/contacts?email=d@x.test&includeArchived=true");
  assert.deepEqual(
    dataOf<Shown[]>(archived).map(({ id }) => id),
    [d.id],
  );
  const rejected = await crm.call("GET", "/contacts?email=d&accountId=1&name=C");
  const problems = "?name unknown_key, ?email invalid_format, ?accountId invalid_format";
  assert.equal(verdict(rejected), `400 validation_error: ${problems}`);
});

test("email addresses are unique, ignoring case and surrounding spaces", async () => {
  const before = await create("/contacts", { name: "Ana", email: "Ana.Ä@Taken.test" });
  for (const email of ["ana.ä@taken.test", "\tANA.Ä@TAKEN.TEST ", "Ana.Ä@Taken.test"]) {
    assertDuplicate(await call("POST", "/contacts", { name: "Other", email }), "email", before.id);
    assertDuplicate(await call("PATCH", `/contacts/${one.contact}`, { email }), "email", before.id);
  }
  assert.deepEqual(await read(`/contacts/${before.id}`), before);
  assert.equal((await read(`/contacts/${one.contact}`)).email, "carla@acme.test");
});

test("accents, dots and tags make different email addresses", async () => {
  for (const email of ["jose@x.test", "josé@x.test", "jo.se@x.test", "jose+1@x.test", "jose@x.y.test"]) {
    await create("/contacts", { name: "José", email });
  }
});

test("PATCH /contacts can change the spelling of its email address", async () => {
  const { id } = await create("/contacts", { name: "Own", email: "own@x.test" });
  const changed = dataOf(await call("PATCH", `/contacts/${id}`, { email: " OWN@x.test " }));
  assert.equal(changed.email, "OWN@x.test");
});

test("the email of an archived contact can be reused, and restore fails if it was", async () => {
  const first = await create("/contacts", { name: "First", email: "free@x.test" });
  await call("DELETE", `/contacts/${first.id}`);
  const second = await create("/contacts", { name: "Second", email: "FREE@x.test" });
  assertDuplicate(await call("POST", `/contacts/${first.id}/restore`), "email", second.id);
  assert.equal(verdict(await call("GET", `/contacts/${first.id}`)), "404 not_found");
  dataOf(await call("PATCH", `/contacts/${second.id}`, { email: null }));
  assert.equal(dataOf(await call("POST", `/contacts/${first.id}/restore`)).email, "free@x.test");
  assertDuplicate(await call("PATCH", `/contacts/${second.id}`, { email: "free@x.test" }), "email", first.id);
});

test("one of 50 concurrent POST /contacts with the same email succeeds", async () => {
  const emails = Array.from({ length: 50 }, (_, index) => (index % 2 ? "race@x.test" : "RACE@x.test"));
  const race = emails.map((email, index) => call("POST", "/contacts", { name: `Racer ${index}`, email }));
  const winner = winnerOf(await Promise.all(race), 201, "email");
  assert.deepEqual((await call("GET", "/contacts?email=race@x.test")).body, { data: [winner], nextCursor: null });
});

test("50 concurrent POST /contacts without email create 50 contacts", async () => {
  const each = Array.from({ length: 50 }, () => create("/contacts", { name: "Nameless" }));
  assert.equal(new Set((await Promise.all(each)).map(({ id }) => id)).size, 50);
});
