import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, openCrm } from "../../support/crm.ts";

const { call, create } = await openCrm();

test("PATCH /accounts merges the members of an address", async () => {
  const nothing = { street: null, city: null, state: null, postalCode: null, country: null };
  const made = await create("/accounts", { name: "Somewhere", address: { city: "Lyon" } });
  assert.deepEqual(made.address, { ...nothing, city: "Lyon" });
  const moved = dataOf(await call("PATCH", `/accounts/${made.id}`, { address: { country: "France" } }));
  assert.deepEqual(moved.address, { ...nothing, city: "Lyon", country: "France" });
  const same = dataOf(await call("PATCH", `/accounts/${made.id}`, { address: {} }));
  assert.deepEqual(same, moved);
  const cleared = dataOf(await call("PATCH", `/accounts/${made.id}`, { address: { city: null, country: "" } }));
  assert.deepEqual(cleared.address, nothing);
  assert.equal(dataOf(await call("PATCH", `/accounts/${made.id}`, { address: null })).address, null);
  const again = dataOf(await call("PATCH", `/accounts/${made.id}`, { address: { city: "Nice" } }));
  assert.deepEqual(again.address, { ...nothing, city: "Nice" });
  assert.equal((await create("/accounts", { name: "Nowhere", address: {} })).address, null);
});

test("an empty text in an optional field of an account means null", async () => {
  const texts = { document: "", website: "", phone: "", email: "", description: "", externalId: "" };
  const made = await create("/accounts", { name: "Empty", ...texts });
  for (const name of Object.keys(texts)) assert.equal(made[name], null, name);
  const { id } = await create("/accounts", { name: "Filled", phone: "1", email: "a@b.test" });
  const changed = dataOf(await call("PATCH", `/accounts/${id}`, { phone: "", email: "" }));
  assert.deepEqual([changed.phone, changed.email], [null, null]);
});
