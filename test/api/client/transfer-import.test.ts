import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createTransport } from "../../../lib/client/index.ts";
import { models } from "../../../lib/index.ts";
import {
  batchSender,
  completeTargets,
  createKeyMapping,
  csvRowValues,
  type Entity,
  fieldTargets,
  type ImportOptions,
  jsonRowValues,
  mapColumns,
  messagesOf,
  openRows,
  recordFinder,
  runImport,
} from "../../../lib/transfer/index.ts";
import { baseUrl, testCrm } from "../../support/harness.ts";
import { testTenant } from "../../support/tenants.ts";

const tenant = testTenant(1);
const { api, storage } = await testCrm([tenant]);
after(() => api.close());
const paths: string[] = [];
const request = createTransport({
  ...{ baseUrl, apiKey: tenant.key },
  fetch(url, init) {
    paths.push(`${init.method} ${new URL(url).pathname.replace(/.*v1/, "")}`);
    return api.fetch(new Request(url, init));
  },
});
let imports = 0;

/** Imports the text of a CSV file over HTTP. Returns the counts and the messages by line. */
async function importCsv(text: string, options: ImportOptions, seed = `seed ${imports++}`) {
  async function* chunks() {
    yield text;
  }
  const { header = [], rows } = await openRows(chunks(), { name: "a.csv", format: "csv", delimiter: undefined });
  const targets = completeTargets(fieldTargets(models[options.entity as Entity].fields), []);
  const columns = mapColumns(header, targets, { mapping: new Map(), ignoreColumns: false });
  const locale = { dateFormat: "YYYY-MM-DD", decimal: ".", trim: false, encoding: "utf-8" } as const;
  const [rejected, dropped]: Record<number, readonly string[]>[] = [{}, {}];
  const { counts } = await runImport(rows, {
    parse: (row) => csvRowValues(row, columns, false, locale),
    send: batchSender(request, options.entity, seed),
    find: recordFinder(request),
    options,
    onProgress(progress) {
      for (const { row, errors } of progress.rejected)
        Object.assign(rejected ?? {}, { [row.line]: messagesOf(errors) });
      for (const { row, errors } of progress.dropped) Object.assign(dropped ?? {}, { [row.line]: messagesOf(errors) });
    },
  });
  const { created, updated, unchanged } = counts;
  return { counts: [created, updated, unchanged, counts.rejected], rejected, dropped };
}

test("rows whose values the API compares as equal update one record, in order", async () => {
  const accounts = "name,phone\nNordwind,1\nNord\u200bwind,2\nNORDWIND,3\nnord\u00adwind,4\n";
  const byName = await importCsv(accounts, { entity: "account", upsertBy: "name" });
  assert.deepEqual(byName, { counts: [1, 3, 0, 0], rejected: {}, dropped: {} });
  const [nordwind] = await storage.list(tenant.id, "account", { where: { name: "nordwind" } });
  assert.equal(nordwind?.phone, "4");
  const contacts = "name,email,phone\nIda,ida@b\u00fccher.example,1\nIda,IDA@xn--bcher-kva.example,2\n";
  const byEmail = await importCsv(contacts, { entity: "contact", upsertBy: "email" });
  assert.deepEqual(byEmail, { counts: [1, 1, 0, 0], rejected: {}, dropped: {} });
});

test("a row that is rejected without its invalid cell has the reason, not the error of the cell", async () => {
  const text = "name,email,website\nAcme,none,\n,none,\nNeu,none,\nAuch neu,none,javascript:x\n";
  const email = "email must be an email address, such as ana@example.com.";
  const { counts, rejected, dropped } = await importCsv(text, { entity: "account", dropInvalid: ["email"] });
  assert.deepEqual(counts, [1, 0, 0, 3]);
  assert.deepEqual(
    Object.fromEntries(
      Object.entries(rejected ?? {}).map(([line, texts]) => [line, texts.map((each) => each.slice(0, 44))]),
    ),
    {
      2: ["There is already an account with this name. "],
      3: ["name is required."],
      5: ["website must be an http or https URL or a do"],
    },
  );
  assert.deepEqual(dropped, { 4: [email] });
});

test("a number that would be rounded is rejected, and clears nothing", async () => {
  const options = { entity: "opportunity", upsertBy: "externalId" } as const;
  await importCsv("externalId,name,amount,currency\nround-1,Deal,5,EUR\n", options);
  const inexact = ["round-1,Deal,9007199254740993", "round-2,,12345678901234567", "round-3,New,1e999"];
  const { counts, rejected } = await importCsv(`externalId,name,amount\n${inexact.join("\n")}\n`, options);
  assert.deepEqual(counts, [0, 0, 0, 3]);
  const message = "amount must have at most 15 significant digits, and be below 1e308.";
  assert.deepEqual(rejected, { 2: [message], 3: [message, "name is required."], 4: [message] });
  const [stored] = await storage.list(tenant.id, "opportunity", { where: { externalId: "round-1" } });
  assert.equal(stored?.amount, 5);

  const targets = completeTargets(fieldTargets(models.opportunity.fields), [
    { key: "budget", label: "Budget", type: "currency" },
  ]);
  const keys = createKeyMapping(targets, new Map(), false);
  const raw = '{"name":"x","amount":1e999,"customFields":{"budget":{"amount":9007199254740993,"currency":"EUR"}}}';
  const { errors } = jsonRowValues({ line: 1, raw }, keys);
  assert.deepEqual(
    errors.map(({ code, target }) => `${target} ${code}`),
    ["amount out_of_range", "customFields.budget out_of_range"],
  );
});

test("a required cell that is invalid is rejected with its own error", async () => {
  const text = `name,email\n${"x".repeat(300)},a@x.example\n`;
  const { rejected } = await importCsv(text, { entity: "account", dropInvalid: ["name"] });
  assert.deepEqual(rejected, { 2: ["name must be at most 255 characters long."] });
});

test("a file that is imported again creates nothing, and a row that became valid isn't created in a known batch", async () => {
  const text = "name,account\nOne,Later\nTwo,\nThree,Acme\n";
  const first = await importCsv(text, { entity: "contact" }, "same");
  assert.deepEqual(first.counts, [2, 0, 0, 1]);
  assert.deepEqual((await importCsv(text, { entity: "contact" }, "same")).counts, [0, 0, 2, 1]);
  await importCsv("name\nLater\n", { entity: "account" });
  const third = await importCsv(text, { entity: "contact" }, "same");
  assert.deepEqual(third.counts, [0, 0, 0, 3]);
  assert.match(String(third.rejected?.[2]), /^An earlier import of this file handled this row, /);
  assert.equal((await storage.list(tenant.id, "contact", { where: { name: "Two" } })).length, 1);
});

test("a batch that the API rejects as a whole is split until each row has its own error", async () => {
  const deep = Array.from({ length: 3 }, (_, row) => `Long ${row},${"x".repeat(262_145)}`);
  const { counts, rejected } = await importCsv(`name,description\n${deep.join("\n")}\nShort,\n`, { entity: "account" });
  assert.deepEqual(counts, [1, 0, 0, 3]);
  assert.deepEqual(Object.keys(rejected ?? {}), ["2", "3", "4"]);
});

test("names in cells are looked up once per file, and small lists are read once", async () => {
  paths.length = 0;
  const rows = Array.from({ length: 250 }, (_, row) => `Named ${row},${row % 2 ? "Acme" : "Nordwind"},ana@tenant.test`);
  const { counts } = await importCsv(`name,account,owner\n${rows.join("\n")}\n`, { entity: "contact" });
  assert.deepEqual(counts, [250, 0, 0, 0]);
  const sent = Object.entries(Object.groupBy(paths, (path) => path)).map(([path, each]) => [path, each?.length]);
  assert.deepEqual(sent, [
    ["GET /accounts", 2],
    ["GET /users", 1],
    ["POST /contacts/batch", 3],
  ]);
});

test("many names in cells are found 100 per request, as the filters of the API find them", async () => {
  const accounts = Array.from({ length: 300 }, (_, row) => `Many  ${row}${row % 3 ? "" : "; Inc\\.|"},M-${row}`);
  const withCommas = accounts.map((line) => line.replace(/(.*);(.*)\|,/, '"$1,$2",'));
  const twins = Array.from({ length: 250 }, (_, row) => `Twin ${row},same`);
  await importCsv(`name,externalId\n${[...withCommas, ...twins].join("\n")}\n`, { entity: "account" });
  paths.length = 0;
  const nameOf = (row: number) => (row % 3 ? `many ${row}` : `"MANY ${row}, inc\\."`);
  const names = Array.from({ length: 300 }, (_, row) => (row % 2 ? nameOf(row) : `M-${row}`));
  const rows = [...names, "same", "m-1", "Mány 1", "x".repeat(300)].map((name, row) => `Person ${row},${name}`);
  const { counts, rejected } = await importCsv(`name,account\n${rows.join("\n")}\n`, { entity: "contact" });
  assert.deepEqual(counts, [300, 0, 0, 4]);
  assert.match(
    String(rejected?.[302]),
    /^accountId: "same" matches Twin 0 \(.*\), Twin 1 \(.*\), Twin 2 \(.*\) and others/,
  );
  assert.deepEqual(rejected?.[303], [`accountId: "m-1" doesn't match any account by id, name, externalId.`]);
  assert.deepEqual(rejected?.[304], [`accountId: "Mány 1" doesn't match any account by id, name, externalId.`]);
  const reads = paths.filter((path) => path === "GET /accounts").length;
  assert.ok(reads <= 20, `${reads} requests`);
});

test("rows with a key find their records 100 per request", async () => {
  const keys = Array.from({ length: 250 }, (_, row) => `Key\\, ${row}`);
  const contacts = keys.map((key, row) => `Keyed ${row},"${key}",k${row}@x.example,1`);
  await importCsv(`name,externalId,email,phone\n${contacts.join("\n")}\n`, { entity: "contact" });
  for (const [upsertBy, column] of [
    ["externalId", (row: number) => `"${keys[row]}"`],
    ["email", (row: number) => `K${row}@X.example `],
  ] as const) {
    paths.length = 0;
    const rows = keys.map((_, row) => `${column(row)},${row % 2 ? "" : upsertBy}`);
    const text = `${upsertBy},jobTitle\n${rows.join("\n")}\nnone,x\n`;
    const { counts } = await importCsv(text, { entity: "contact", upsertBy, emptyClears: true });
    assert.deepEqual(counts, upsertBy === "email" ? [0, 250, 0, 1] : [0, 125, 125, 1], upsertBy);
    const reads = paths.filter((path) => path === "GET /contacts").length;
    assert.equal(reads, 3, upsertBy);
  }
});

test("a kind of record that is the name of a JavaScript property is rejected like any other", async () => {
  for (const kind of ["constructor", "__proto__", "toString"]) {
    const text = `title,relatedTo.type,relatedTo.id\nCall,${kind},Acme\n`;
    const { counts, rejected } = await importCsv(text, { entity: "task" });
    assert.deepEqual(counts, [0, 0, 0, 1]);
    assert.equal(rejected?.[2]?.[0], "relatedTo.type must be one of: account, contact, opportunity.");
  }
});
