import assert from "node:assert/strict";
import { test } from "node:test";
import { clientOf } from "../../support/client.ts";
import { dataOf, one, openCrm, two, unknown, verdict } from "../../support/crm.ts";

const crm = await openCrm();
const client = clientOf(crm, one.key);

async function list(query: string, key = one.key): Promise<readonly string[]> {
  crm.clock.advance(1_000);
  const records = dataOf(await crm.send("GET", query, { key })) as unknown as readonly { readonly name: string }[];
  return records.map(({ name }) => name);
}

test("GET /accounts?ids= returns the accounts with these IDs", async () => {
  const [first, second] = [
    await crm.create("/accounts", { name: "Ids 1" }),
    await crm.create("/accounts", { name: "Ids 2" }),
  ];
  const ids = [first.id, unknown, second.id.toUpperCase(), first.id, two.account];
  assert.deepEqual(await list(`/accounts?ids=${ids}`), ["Ids 1", "Ids 2"]);
  assert.deepEqual(await list(`/accounts?ids=${ids}`, two.key), ["Acme"]);
  const names = [];
  for await (const { name } of client.accounts.list({ ids, limit: 1 }).records()) names.push(name);
  assert.deepEqual(names, ["Ids 1", "Ids 2"]);
});

test("GET /accounts?ids= returns 400 for anything but 1 to 100 UUIDs", async () => {
  const errorFor = async (ids: string) => verdict(await crm.send("GET", `/accounts?ids=${ids}`, { key: one.key }));
  for (const ids of ["", "1", `${unknown},`])
    assert.equal(await errorFor(ids), "400 validation_error: ?ids invalid_format", ids);
  assert.equal(
    verdict(await crm.send("GET", "/accounts?ids=1,2&limit=0&phone=x", { key: one.key })),
    "400 validation_error: ?limit out_of_range, ?ids invalid_format, ?ids invalid_format, ?phone invalid_format",
  );
  const tooMany = Array.from({ length: 101 }, () => unknown).join();
  assert.equal(await errorFor(tooMany), "400 validation_error: ?ids out_of_range");
});

test("lists of names, email addresses and external IDs find the records with one of them, in pages", async () => {
  const keys = ["a,b", "a\\", "a", "a\\,b", "é"];
  for (const externalId of keys)
    await crm.create("/contacts", { name: externalId, externalId, email: `${keys.indexOf(externalId)}@k.example` });
  await crm.create("/contacts", { name: "a again", externalId: "a" });
  for (const name of ["Keys, Inc.", "Keys"]) await crm.create("/accounts", { name });
  const found = async (query: object) => {
    const names = [];
    for await (const { name } of client.contacts.list({ ...query, limit: 1 }).records()) names.push(name);
    return names;
  };
  assert.deepEqual(await found({ externalIds: ["a\\,b", "none", "a", "a"] }), ["a", "a\\,b", "a again"]);
  assert.deepEqual(await found({ externalIds: ["a,b", "a\\"] }), ["a,b", "a\\"]);
  assert.deepEqual(await found({ externalIds: keys, order: "-name" }), ["é", "a\\,b", "a\\", "a,b", "a again", "a"]);
  assert.deepEqual(await found({ emails: [" 4@K.example", "0@k.example"] }), ["a,b", "é"]);
  assert.deepEqual(await list("/contacts?externalIds=a\\,b"), ["a,b"]);
  assert.deepEqual(await list("/contacts?externalIds=a,b"), ["a", "a again"]);
  assert.deepEqual(await list("/accounts?names=KEYS\\,%20inc.,keys"), ["Keys, Inc.", "Keys"]);
  assert.deepEqual(await list("/accounts?names=Keys", two.key), []);
  const page = await crm.send("GET", "/contacts?externalIds=a\\,b,a\\\\&limit=1", { key: one.key });
  const { nextCursor } = page.body as { readonly nextCursor: string };
  assert.deepEqual(await list(`/contacts?limit=9&cursor=${nextCursor}`), ["a\\"]);
  assert.deepEqual(await list("/contacts?externalIds=a,é&emails=2@k.example"), ["a"]);
});

test("GET /contacts?emails= returns 400 for each invalid value, and for more than 100", async () => {
  const errorFor = async (query: string) => verdict(await crm.send("GET", `/contacts?${query}`, { key: one.key }));
  assert.equal(
    await errorFor("emails=a@b.example,x,y&externalIds=a,,"),
    "400 validation_error: ?emails invalid_format, ?emails invalid_format, ?externalIds required, ?externalIds required",
  );
  const many = Array.from({ length: 101 }, (_, index) => index).join();
  assert.equal(await errorFor(`externalIds=${many}`), "400 validation_error: ?externalIds out_of_range");
});

test("GET /contacts?phone= compares digits, and the last of them if there are at least 7", async () => {
  const phones = ["+47 55 01 23 45", "0047 (55) 01-23-45", "55012345", "123456", "tel. 9/123456", "none"];
  for (const phone of phones) await crm.create("/contacts", { name: phone, phone });
  const find = (phone: string) => list(`/contacts?phone=${encodeURIComponent(phone)}`);
  assert.deepEqual(await find("+47 55012345"), [phones[0], phones[1]]);
  assert.deepEqual(await find("004755012345"), [phones[1]]);
  assert.deepEqual(await find("5 501 23 45"), [phones[0], phones[1], phones[2]]);
  assert.deepEqual(await find("123456"), [phones[3]]);
  assert.deepEqual(await find("9 123456"), [phones[4]]);
  assert.deepEqual(await find("012345"), []);
  assert.deepEqual(await list("/contacts?phone=55012345&limit=1&includeArchived=true"), [phones[0]]);
  assert.deepEqual(await list("/contacts?phone=55012345", two.key), []);
  const found = [];
  for await (const { phone } of client.contacts.list({ phone: "55 01 23 45", limit: 1 }).records()) found.push(phone);
  assert.deepEqual(found, phones.slice(0, 3));
});

test("GET /accounts?phone= sees a new number at once, without an index for searches", async () => {
  const { id } = await crm.create("/accounts", { name: "Phone", phone: "+1 555 0100 200" });
  assert.deepEqual(await list("/accounts?phone=5550100200"), ["Phone"]);
  await crm.call("PATCH", `/accounts/${id}`, { phone: "+1 555 0100 999" });
  assert.deepEqual([await list("/accounts?phone=5550100200"), await list("/accounts?phone=0100999")], [[], ["Phone"]]);
  await crm.call("DELETE", `/accounts/${id}`);
  assert.deepEqual(await list("/accounts?phone=0100999"), []);
  assert.deepEqual(await list("/accounts?phone=0100999&includeArchived=true"), ["Phone"]);
});

test("GET /accounts?phone= returns 400 without a digit", async () => {
  for (const phone of ["", "%2B", "n/a", "%D9%A1"])
    assert.equal(
      verdict(await crm.send("GET", `/accounts?phone=${phone}`, { key: one.key })),
      "400 validation_error: ?phone invalid_format",
      phone,
    );
});
