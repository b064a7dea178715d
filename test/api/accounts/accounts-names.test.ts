import assert from "node:assert/strict";
import { test } from "node:test";
import { assertDuplicate, dataOf, one, openCrm, type Shown, verdict, winnerOf } from "../../support/crm.ts";

const { call, create, read } = await openCrm();

/** Names that count as the same name. */
const alike: readonly (readonly [string, string])[] = [
  ["Globex", "gLOBEX"],
  ["Initech Inc.", "  Initech \t\u00a0 Inc.\u3000"],
  ["Ｗａｙｎｅ ㈱", "wayne (株)"],
  ["Stra\u00dfenbau", "STRASSENBAU"],
  ["ΟΔΟΣ", "οδος"],
  ["Café Noir", "CAFE\u0301 NOIR"],
  ["ﬁn", "FIN"],
  ["℡ Shop", "tel shop"],
];

for (const [name, other] of alike) {
  test(`accounts named ${JSON.stringify([name, other])} are duplicates, and the first one keeps its spelling`, async () => {
    const { id } = await create("/accounts", { name });
    assertDuplicate(await call("POST", "/accounts", { name: other }), "name", id);
    assertDuplicate(await call("PATCH", `/accounts/${one.account}`, { name: other }), "name", id);
    const query = `/accounts?name=${encodeURIComponent(other)}`;
    assert.deepEqual(
      dataOf<Shown[]>(await call("GET", query)).map((each) => each.name),
      [name],
    );
  });
}

test("GROẞ and groß are the same account name", async () => {
  const { id } = await create("/accounts", { name: "groß" });
  assertDuplicate(await call("POST", "/accounts", { name: "GROẞ" }), "name", id);
});

test("accents, dots and spaces between words make different account names", async () => {
  for (const name of ["Muller", "Müller", "Mueller", "M uller", "Mu-ller", "ırmak", "irmak", "Muller.", "Mulłer"]) {
    await create("/accounts", { name });
  }
});

test("PATCH /accounts can change the spelling of a name that no other account has", async () => {
  const { id } = await create("/accounts", { name: "spelled" });
  assert.equal(dataOf(await call("PATCH", `/accounts/${id}`, { name: "SPELLED", phone: "1" })).name, "SPELLED");
});

test("PATCH /accounts/{id} with a duplicate name leaves the account unchanged", async () => {
  const { id } = await create("/accounts", { name: "Taken" });
  const before = await read(`/accounts/${one.account}`);
  assertDuplicate(await call("PATCH", `/accounts/${one.account}`, { phone: "1", name: "taken" }), "name", id);
  assert.deepEqual(await read(`/accounts/${one.account}`), before);
});

test("the name of an archived account can be reused, and restore fails if it was", async () => {
  const first = await create("/accounts", { name: "Phoenix" });
  await call("DELETE", `/accounts/${first.id}`);
  const second = await create("/accounts", { name: "PHOENIX" });
  assertDuplicate(await call("POST", `/accounts/${first.id}/restore`), "name", second.id);
  assert.equal(verdict(await call("GET", `/accounts/${first.id}`)), "404 not_found");
  dataOf(await call("PATCH", `/accounts/${second.id}`, { name: "Ash" }));
  assert.equal(dataOf(await call("POST", `/accounts/${first.id}/restore`)).name, "Phoenix");
  assertDuplicate(await call("PATCH", `/accounts/${second.id}`, { name: "phoenix" }), "name", first.id);
});

test("POST /accounts reports other errors before duplicate", async () => {
  const cases = {
    "400 validation_error: /phone invalid_type": { phone: 1 },
    "422 invalid_reference: /ownerId inactive": { ownerId: one.inactive },
    "422 unknown_custom_field: /customFields/x unknown_key": { customFields: { x: 1 } },
    "422 invalid_custom_field: /customFields/size invalid_type": { customFields: { size: "1" } },
  };
  for (const [problem, body] of Object.entries(cases)) {
    assert.equal(verdict(await call("POST", "/accounts", { name: "acme", ...body })), problem);
  }
});

test("one of 50 concurrent POST /accounts with the same name succeeds", async () => {
  const race = Array.from({ length: 50 }, (_, index) =>
    call("POST", "/accounts", { name: index % 2 ? "Race" : "rAcE" }),
  );
  const winner = winnerOf(await Promise.all(race), 201, "name");
  assert.deepEqual((await call("GET", "/accounts?name=race")).body, { data: [winner], nextCursor: null });
});

test("one of 20 concurrent PATCH /accounts with the same name succeeds", async () => {
  const each = Array.from({ length: 20 }, (_, index) => create("/accounts", { name: `Runner ${index}` }));
  const race = (await Promise.all(each)).map(({ id }) => call("PATCH", `/accounts/${id}`, { name: "First" }));
  const winner = winnerOf(await Promise.all(race), 200, "name");
  assert.deepEqual((await call("GET", "/accounts?name=first")).body, { data: [winner], nextCursor: null });
});

test("one of 20 archived accounts with the same name can be restored", async () => {
  const ids: string[] = [];
  while (ids.length < 20) {
    const { id } = await create("/accounts", { name: "Lazarus" });
    await call("DELETE", `/accounts/${id}`);
    ids.push(id);
  }
  winnerOf(await Promise.all(ids.map((id) => call("POST", `/accounts/${id}/restore`))), 200, "name");
});
