import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm, type Shown, two, unknown, verdict } from "../../support/crm.ts";

const { call, create, read } = await openCrm();

const contact = async (name: string): Promise<string> => (await create("/contacts", { name })).id;
const [a, b, c, gone] = [await contact("A"), await contact("B"), await contact("C"), await contact("Gone")];
await call("DELETE", `/contacts/${gone}`);

test("contactIds keeps the order and stores each contact once", async () => {
  const made = await create("/opportunities", { name: "x", contactIds: [c, a, c.toUpperCase(), b, a] });
  assert.deepEqual(made.contactIds, [c, a, b]);
  assert.deepEqual(await read(`/opportunities/${made.id}`), made);
});

test("contactIds in a PATCH replace the stored ones, and an empty list removes all", async () => {
  const { id } = await create("/opportunities", { name: "x", contactIds: [a, b] });
  for (const contactIds of [[b, a], [c], [a, b, c], []]) {
    const changed = dataOf(await call("PATCH", `/opportunities/${id}`, { contactIds }));
    assert.deepEqual(changed.contactIds, contactIds);
    assert.deepEqual(await read(`/opportunities/${id}`), changed);
  }
});

test("the same contactIds, even repeated, change nothing; another order does", async () => {
  const before = await create("/opportunities", { name: "x", contactIds: [a, b] });
  const path = `/opportunities/${before.id}`;
  assert.deepEqual(dataOf(await call("PATCH", path, { contactIds: [a, a, b, a] })), before);
  const { updatedAt } = dataOf(await call("PATCH", path, { contactIds: [b, a] }));
  assert.ok(updatedAt > before.updatedAt);
});

test("each unknown contact is reported with its index", async () => {
  const { id } = await create("/opportunities", { name: "x", contactIds: [a] });
  const contactIds = [unknown, a, two.contact, b, gone, one.account];
  const missing = [0, 2, 4, 5].map((position) => `/contactIds/${position} not_found`).join(", ");
  const made = await call("POST", "/opportunities", { name: "x", contactIds });
  assert.equal(verdict(made), `422 invalid_reference: ${missing}`);
  assert.equal(errorOf(made).message, "The contact in contactIds.0 doesn't exist. (and 3 more: see details.errors)");
  assert.equal((await call("PATCH", `/opportunities/${id}`, { contactIds })).text, made.text);
});

test("the path of an unknown contact counts repeated entries before it", async () => {
  const rejected = await call("POST", "/opportunities", { name: "x", contactIds: [a, a, unknown] });
  assert.equal(verdict(rejected), "422 invalid_reference: /contactIds/2 not_found");
});

test("a contact that is archived later stays, can be sent back with others, and can't be added again", async () => {
  const leaving = await contact("Leaving");
  const before = await create("/opportunities", { name: "x", contactIds: [a, leaving] });
  const path = `/opportunities/${before.id}`;
  await call("DELETE", `/contacts/${leaving}`);
  const renamed = dataOf(await call("PATCH", path, { name: "y" }));
  assert.deepEqual(renamed, { ...before, name: "y", updatedAt: renamed.updatedAt });
  assert.equal(verdict(await call("PATCH", path, { ...renamed, amount: 1 })), "200");
  assert.deepEqual(dataOf(await call("PATCH", path, { contactIds: [b, leaving] })).contactIds, [b, leaving]);
  assert.deepEqual(dataOf(await call("PATCH", path, { contactIds: [b] })).contactIds, [b]);
  const again = await call("PATCH", path, { contactIds: [b, leaving] });
  assert.equal(verdict(again), "422 invalid_reference: /contactIds/1 not_found");
});

test("100 contacts are accepted", async () => {
  const contactIds = await Promise.all(Array.from({ length: 100 }, (_, index) => contact(`Contact ${index}`)));
  const made = await create("/opportunities", { name: "x", contactIds });
  assert.deepEqual(made.contactIds, contactIds);
  assert.deepEqual(await read(`/opportunities/${made.id}`), made);
});

test("contactIds over the limit reports only the length, not the entries", async () => {
  const message = "contactIds must have at most 100 entries.";
  const errors = [{ path: "/contactIds", code: "out_of_range", message, limits: { maxItems: 100 } }];
  for (const contactIds of [Array(101).fill(a), Array(1_000).fill("x")]) {
    const rejected = await call("POST", "/opportunities", { name: "x", contactIds });
    assert.deepEqual(rejected.body, { error: { code: "validation_error", message, details: { errors } } });
  }
});

test("a list by contactId in pages of one returns each opportunity once, in order of updatedAt", async () => {
  const who = await contact("Listed");
  const made: Shown[] = [];
  while (made.length < 5) made.push(await create("/opportunities", { name: "x", contactIds: [a, who, b] }));
  await create("/opportunities", { name: "not this one", contactIds: [a] });
  await call("PATCH", `/opportunities/${made[1]?.id}`, { name: "changed" });
  await call("PATCH", `/opportunities/${made[0]?.id}`, { contactIds: [b] });
  await call("DELETE", `/opportunities/${made[2]?.id}`);
  const expected = [made[3], made[4], await read(`/opportunities/${made[1]?.id}`)];
  const found: Shown[] = [];
  let next = `contactId=${who}`;
  for (let pages = 1; ; pages++) {
    const result = await call("GET", `/opportunities?limit=1&${next}`);
    const { data, nextCursor } = result.body as { data: Shown[]; nextCursor: string | null };
    assert.equal(data.length, 1);
    found.push(...data);
    if (nextCursor === null) break;
    next = `cursor=${nextCursor}`;
    assert.ok(pages < 3, "the list doesn't end");
  }
  assert.deepEqual(found, expected);
});
