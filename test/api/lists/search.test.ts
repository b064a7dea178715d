import assert from "node:assert/strict";
import { test } from "node:test";
import { SearchOff, wrapStorage } from "../../../lib/index.ts";
import { clientOf } from "../../support/client.ts";
import { dataOf, one, openCrm, two, verdict } from "../../support/crm.ts";
import { freshStorage } from "../../support/storages.ts";

const crm = await openCrm();

type Item = { readonly entity: string; readonly record: { readonly id: string; readonly name: string } };

async function search(q: string, query = "", key = one.key): Promise<readonly Item[]> {
  crm.clock.advance(1_000);
  const result = await crm.send("GET", `/search?q=${encodeURIComponent(q)}${query}`, { key });
  return dataOf(result) as unknown as readonly Item[];
}

const namesOf = (items: readonly Item[]): readonly string[] => items.map(({ record }) => record.name);

test("GET /search returns whole-word matches first, then the records updated last", async () => {
  for (const name of ["Lindén Kaffe", "Lind Bakery", "Lindqvist", "Kaffe Lind"])
    await crm.create("/accounts", { name });
  assert.deepEqual(namesOf(await search("lind")), ["Kaffe Lind", "Lind Bakery", "Lindqvist", "Lindén Kaffe"]);
  assert.deepEqual(namesOf(await search("KAF linden")), ["Lindén Kaffe"]);
  assert.deepEqual(namesOf(await search("lind", "&limit=1")), ["Kaffe Lind"]);
  assert.deepEqual(await search("kaffe tea"), []);
});

test("GET /search returns each record as a GET of it", async () => {
  const contact = await crm.create("/contacts", { name: "Åsa Søderström", email: "asa@soder.example" });
  assert.deepEqual(await search("asa soderstrom"), [
    { entity: "contact", record: await crm.read(`/contacts/${contact.id}`) },
  ]);
});

test("GET /search finds email addresses, phone numbers, documents and external IDs", async () => {
  const fields = {
    email: "info@zebra.example",
    phone: "+47 55 01 23 45",
    document: "12.345/0001-90",
    externalId: "ERP-77",
  };
  const { id } = await crm.create("/accounts", { name: "Fields", ...fields });
  for (const q of [
    "zebra",
    "info@zebra.ex",
    "+47 55 01",
    "55012345",
    "4755012",
    "12.345/0001-90",
    "12345000190",
    "erp-77",
  ])
    assert.deepEqual(
      (await search(q)).map(({ record }) => record.id),
      [id],
      q,
    );
});

test("GET /search sees changes, archives and restores at once", async () => {
  const { id } = await crm.create("/accounts", { name: "Oldname Ltd" });
  await crm.call("PATCH", `/accounts/${id}`, { name: "Newname Ltd" });
  assert.deepEqual([namesOf(await search("oldname")), namesOf(await search("newname"))], [[], ["Newname Ltd"]]);
  await crm.call("DELETE", `/accounts/${id}`);
  assert.deepEqual(await search("newname"), []);
  await crm.call("POST", `/accounts/${id}/restore`);
  assert.deepEqual(namesOf(await search("newname")), ["Newname Ltd"]);
});

test("q of a list finds tasks by their title, which GET /search doesn't", async () => {
  const { id } = await crm.create("/tasks", { title: "Ring the Øresund café" });
  const found = async (query: string, key = one.key) =>
    (dataOf(await crm.send("GET", `/tasks?${query}`, { key })) as unknown as readonly { id: string }[]).map(
      (task) => task.id,
    );
  assert.deepEqual([await found("q=cafe+ores"), await found("q=cafe&status=completed")], [[id], []]);
  assert.deepEqual([await found("q=oresund", two.key), await search("oresund")], [[], []]);
  await crm.call("PATCH", `/tasks/${id}`, { title: "Write", status: "completed" });
  assert.deepEqual([await found("q=oresund"), await found("q=write&status=completed")], [[], [id]]);
  await crm.call("DELETE", `/tasks/${id}`);
  assert.deepEqual(await found("q=write"), []);
});

test("GET /search finds nothing of another tenant", async () => {
  await crm.create("/accounts", { name: "Secretive" });
  assert.deepEqual([(await search("secretive")).length, await search("secretive", "", two.key)], [1, []]);
});

test("GET /search requires a :read scope and searches only what the key may read", async () => {
  for (const query of ["", "&entity=account"])
    assert.equal(
      verdict(await crm.send("GET", `/search?q=lind${query}`, { key: one.bareKey })).slice(0, 22),
      "403 insufficient_scope",
    );
  assert.equal(
    verdict(await crm.send("GET", "/search?q=lind", { key: one.readKey })).slice(0, 22),
    "403 insufficient_scope",
  );
});

test("GET /search returns only kinds of `entity` and of the scopes", async () => {
  const { create, send } = await openCrm({ "/integrations/1/scopes": ["accounts:read", "contacts:write"] });
  for (const path of ["/accounts", "/contacts", "/opportunities"]) await create(path, { name: "Everywhere" });
  const kinds = async (query: string, key: string) => {
    const items = dataOf(await send("GET", `/search?q=everywhere${query}`, { key })) as unknown as readonly Item[];
    return items.map(({ entity }) => entity).sort();
  };
  assert.deepEqual(await kinds("", one.key), ["account", "contact", "opportunity"]);
  for (const entity of ["account", "contact", "opportunity"])
    assert.deepEqual(await kinds(`&entity=${entity}`, one.key), [entity]);
  assert.deepEqual(await kinds("", one.readKey), ["account"]);
  const rejected = await send("GET", "/search?q=everywhere&entity=contact", { key: one.readKey });
  assert.equal(verdict(rejected).slice(0, 22), "403 insufficient_scope");
});

test("GET /search folds the words of the query and of the record in the same way", async () => {
  const words = ["Straße", "ÆGIR", "Łódź", "ﬁnal", "ＡＢＣ", "İzmir", "Ζεύς", "Ёлка", "e\u0301cole", "zero\u200bwidth"];
  for (const name of words) await crm.create("/contacts", { name });
  const queries = ["strasse", "aegir", "lodz", "FINAL", "abc", "izmir", "ζευσ", "елка", "école", "zerowidth"];
  for (const [index, q] of queries.entries()) assert.deepEqual(namesOf(await search(q)), [words[index]], q);
});

test("GET /search accepts any text with a letter or a digit", async () => {
  const texts = [
    '"a',
    "a*",
    "-a",
    "a AND b",
    "NEAR(a b)",
    "a'b",
    "a:b",
    "^a",
    "(a",
    "a\\",
    "🎉a",
    "المتجر",
    "日本",
    "a%00b".slice(0, 1),
  ];
  for (const q of [...texts, "a ".repeat(100), "x".repeat(200), "\u202ea", "ﷺ".repeat(200)])
    assert.ok(Array.isArray(await search(q)), q);
});

test("GET /search returns 400 for invalid parameters", async () => {
  const wrong: readonly (readonly [query: string, path: string, code: string])[] = [
    ["", "?q", "required"],
    ["q=", "?q", "required"],
    ["q=%F0%9F%8E%89", "?q", "invalid_format"],
    [`q=${"x".repeat(201)}`, "?q", "too_long"],
    ["q=a&entity=task", "?entity", "not_an_option"],
    ["q=a&limit=51", "?limit", "out_of_range"],
  ];
  for (const [query, path, code] of wrong) {
    const result = await crm.send("GET", `/search?${query}`, { key: one.key });
    const { errors } = (result.body as { error: { details: { errors: { path: string; code: string }[] } } }).error
      .details;
    assert.deepEqual([result.status, errors.map((each) => [each.path, each.code])], [400, [[path, code]]], query);
  }
});

test("search() of the client returns the results", async () => {
  const client = clientOf(crm, one.key);
  const [first] = await client.search("kaffe lind", { entity: "account", limit: 1 });
  assert.deepEqual([first?.entity, (first as Item | undefined)?.record.name], ["account", "Kaffe Lind"]);
});

test("GET /search returns 404 not_found if the storage has no search index", async () => {
  const storage = wrapStorage(await freshStorage(), { search: () => Promise.reject(new SearchOff()) });
  const { send } = await openCrm({}, { storage });
  assert.deepEqual(verdict(await send("GET", "/search?q=acme", { key: one.key })), "404 not_found");
});
