import assert from "node:assert/strict";
import { test } from "node:test";
import { assertDuplicate, dataOf, one, openCrm, verdict, winnerOf } from "../../support/crm.ts";

const { call, create, read } = await openCrm();

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
