import assert from "node:assert/strict";
import { test } from "node:test";
import { assertDuplicate, dataOf, one, openCrm, type Shown } from "../../support/crm.ts";

const { call, create } = await openCrm();

const invisible: Readonly<Record<string, string>> = {
  "a soft hyphen": "\u00ad",
  "a zero-width space": "\u200b",
  "a zero-width non-joiner": "\u200c",
  "a zero-width joiner": "\u200d",
  "a left-to-right mark": "\u200e",
  "a right-to-left mark": "\u200f",
  "a word joiner": "\u2060",
  "a byte order mark": "\ufeff",
};

for (const [index, [what, character]] of Object.entries(invisible).entries()) {
  test(`POST /accounts returns 409 duplicate for a name that differs by ${what}`, async () => {
    const name = `Look${character}alike ${index}`;
    const { id } = await create("/accounts", { name });
    for (const other of [`Lookalike ${index}`, `LOOKALI${character}KE ${index}`, `Lookalike ${index}${character}`]) {
      assertDuplicate(await call("POST", "/accounts", { name: other }), "name", id);
      assertDuplicate(await call("PATCH", `/accounts/${one.account}`, { name: other }), "name", id);
      const found = dataOf<Shown[]>(await call("GET", `/accounts?name=${encodeURIComponent(other)}`));
      assert.deepEqual(
        found.map((each) => [each.id, each.name]),
        [[id, name]],
      );
    }
  });
}

/** Two spellings of one address. */
const alike: readonly (readonly [string, string, string])[] = [
  ["a zero-width space in the local part", "carl\u200ba.1@look.test", "carla.1@look.test"],
  ["a soft hyphen in the domain", "carla.2@lo\u00adok.test", "carla.2@look.test"],
  ["a joiner in the domain", "carla.3@lo\u200dok.test", "carla.3@look.test"],
  ["a bidirectional mark at its end", "carla.4@look.test\u200e", "carla.4@look.test"],
  ["full-width letters", "ｃａｒｌａ.5@ｌｏｏｋ.test", "carla.5@look.test"],
  ["the composition of an accent", "jose\u0301@look.test", "José@look.test"],
  ["the punycode of its domain", "carla@m\u00fcnchen.test", "CARLA@XN--mnchen-3ya.test"],
  ["a decomposed domain", "carla@mu\u0308nchen.look.test", "carla@xn--mnchen-3ya.look.test"],
  ["the dot of a domain", "carla@b\u00fccher\u3002look.test", "carla@b\u00fccher.look.test"],
  ["punycode with a joiner", "carla@نامه\u200cای.test", "carla@xn--mgba3gch31f060k.test"],
];

for (const [what, email, other] of alike) {
  test(`POST /contacts returns 409 duplicate for an email address that differs by ${what}`, async () => {
    const { id } = await create("/contacts", { name: "Carla", email });
    assertDuplicate(await call("POST", "/contacts", { name: "Carla", email: other }), "email", id);
    assertDuplicate(await call("PATCH", `/contacts/${one.contact}`, { email: other }), "email", id);
    for (const address of [email, other]) {
      const found = dataOf<Shown[]>(await call("GET", `/contacts?email=${encodeURIComponent(address)}`));
      assert.deepEqual(
        found.map((each) => [each.id, each.email]),
        [[id, email]],
      );
    }
    const body = { tenantId: one.id, emails: [other, "unknown@look.test", email] };
    const items = dataOf<Shown[]>(await call("POST", "/contacts/opportunities/active", body));
    assert.deepEqual(
      items.map((each) => [each.email, each.contactId]),
      [
        [other, id],
        ["unknown@look.test", null],
      ],
    );
  });
}

test("POST /contacts accepts addresses whose domains only look alike to a URL", async () => {
  for (const domain of ["x.ü.test", "x.ü.test/a", "x.ü.test?a", "x.ü.test#a", "%78.ü.test", "x.ü.test\u0001"])
    await create("/contacts", { name: "Carla", email: `carla@${domain}` });
  for (const email of ["carla@faß.test", "carla@fass.test", "carla@ü|ü.test", "CARLA@Ü|Ü.de"])
    await create("/contacts", { name: "Carla", email });
  const again = await call("POST", "/contacts", { name: "Carla", email: "carla@Ü|ü.test" });
  assert.equal(again.status, 409, "A domain that IDNA rejects is compared in lower case.");
});

test("POST /contacts accepts an address that NFKC would make invalid, and finds it", async () => {
  const email = "a\u00b4b@look.test";
  const { id } = await create("/contacts", { name: "Carla", email });
  const body = { tenantId: one.id, emails: ["a\uff20look.test", email] };
  const items = dataOf<Shown[]>(await call("POST", "/contacts/opportunities/active", body));
  assert.deepEqual(
    items.map((each) => each.contactId),
    [null, id],
  );
});

test("GET /users?email= finds a user by the punycode of the domain", async () => {
  const email = "u\u200bmit@m\u00fcnchen.test";
  const crm = await openCrm({ "/users/0/email": email });
  const result = await crm.call("GET", "/users?email=UMIT@xn--mnchen-3ya.test");
  assert.deepEqual(
    dataOf<Shown[]>(result).map((each) => each.email),
    [email],
  );
});
