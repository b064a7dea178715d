import assert from "node:assert/strict";
import { test } from "node:test";
import { assertTaken, dataOf, one, openCrm, verdict, winnerOf } from "../support/crm.ts";

const { call, create, read } = await openCrm();

test("an e-mail address is one contact's, whatever its case and the blanks around it, and keeps its spelling", async () => {
  const before = await create("/contacts", { name: "Ana", email: "Ana.Ä@Taken.test" });
  for (const email of ["ana.ä@taken.test", "\tANA.Ä@TAKEN.TEST ", "Ana.Ä@Taken.test"]) {
    assertTaken(await call("POST", "/contacts", { name: "Other", email }), "email", before.id);
    assertTaken(await call("PATCH", `/contacts/${one.contact}`, { email }), "email", before.id);
  }
  assert.deepEqual(await read(`/contacts/${before.id}`), before);
  assert.equal((await read(`/contacts/${one.contact}`)).email, "carla@acme.test");
});

test("an accent, a dot or a tag makes another address", async () => {
  for (const email of ["jose@x.test", "josé@x.test", "jo.se@x.test", "jose+1@x.test", "jose@x.y.test"]) {
    await create("/contacts", { name: "José", email });
  }
});

test("a contact may spell its own address anew", async () => {
  const { id } = await create("/contacts", { name: "Own", email: "own@x.test" });
  const changed = dataOf(await call("PATCH", `/contacts/${id}`, { email: " OWN@x.test " }));
  assert.equal(changed.email, "OWN@x.test");
});

test("an archived contact gives its address free, and takes it again only while it is free", async () => {
  const first = await create("/contacts", { name: "First", email: "free@x.test" });
  await call("DELETE", `/contacts/${first.id}`);
  const second = await create("/contacts", { name: "Second", email: "FREE@x.test" });
  assertTaken(await call("POST", `/contacts/${first.id}/restore`), "email", second.id);
  assert.equal(verdict(await call("GET", `/contacts/${first.id}`)), "404 not_found");
  dataOf(await call("PATCH", `/contacts/${second.id}`, { email: null }));
  assert.equal(dataOf(await call("POST", `/contacts/${first.id}/restore`)).email, "free@x.test");
  assertTaken(await call("PATCH", `/contacts/${second.id}`, { email: "free@x.test" }), "email", first.id);
});

test("of 50 POSTs at once with one address exactly one is made, and the others name it", async () => {
  const emails = Array.from({ length: 50 }, (_, index) => (index % 2 ? "race@x.test" : "RACE@x.test"));
  const race = emails.map((email, index) => call("POST", "/contacts", { name: `Racer ${index}`, email }));
  const winner = winnerOf(await Promise.all(race), 201, "email");
  assert.deepEqual((await call("GET", "/contacts?email=race@x.test")).body, { data: [winner], nextCursor: null });
});

test("50 POSTs at once without an address are 50 contacts", async () => {
  const each = Array.from({ length: 50 }, () => create("/contacts", { name: "Nameless" }));
  assert.equal(new Set((await Promise.all(each)).map(({ id }) => id)).size, 50);
});
