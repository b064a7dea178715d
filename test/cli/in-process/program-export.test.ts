import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { counts, importCrm, type Stored } from "../../support/import-crm.ts";
import { testTenant } from "../../support/tenants.ts";

const crm = await importCrm(testTenant(1), testTenant(2));
const other = testTenant(2);
const own = ["id", "createdAt", "updatedAt", "stageChangedAt", "closedAt", "archivedAt"];

/** Texts that CSV, spreadsheets and lists find hard. */
const hard = [
  "=1+1",
  "+47 22 33",
  "-x",
  "@x",
  '"quoted"',
  "a;b",
  "two\nlines",
  " blanks ",
  "æøå 漢字 🙂",
  "'=x",
  "[1]",
];
const accounts = hard.map((text, index) => ({
  name: `${text} ${index}`,
  phone: text,
  email: index === 0 ? null : `a${index}@x.example`,
  description: index % 2 === 0 ? text : null,
  address: index === 0 ? null : { street: text, city: null, state: "x", postalCode: null, country: null },
  externalId: `E${index}`,
  customFields: {
    note: text,
    size: [0, -1.5, 1e21, 1e-7][index % 4],
    budget: index % 2 === 0 ? -12.5 : { amount: 0.1, currency: "NOK" },
    since: "2026-02-28",
    segment: "Größe",
    lines: index % 2 === 0 ? ["Beans; whole", "Filter"] : ["Espresso", "Filter"],
  },
}));
const file = crm.write("accounts.ndjson", accounts.map((account) => `${JSON.stringify(account)}\n`).join(""));
const first = await crm.import(file, "account");
assert.deepEqual(counts(first), [accounts.length, 0, 0, 0], first.program.stderr);

function withoutOwn(record: Stored): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !own.includes(name) && !/Ids?$/.test(name)));
}

const byName = (a: { name?: unknown }, b: { name?: unknown }): number => (String(a.name) < String(b.name) ? -1 : 1);

for (const [format, more] of [
  ["csv", []],
  ["csv", ["--spreadsheet"]],
  ["csv", ["--delimiter", ";"]],
  ["ndjson", []],
] as const) {
  test(`an export as ${format} ${more.join(" ")} imports into another tenant with the same values`, async () => {
    const tenant = testTenant(2);
    const exported = crm.path(`out.${format}`);
    const out = await crm.run("export", [exported, "--entity", "account", "--references", "name", ...more]);
    assert.deepEqual([out.code, out.stderr], [0, ""]);
    const args = [exported, "--entity", "account", "--upsert-by", "name", "--json", ...more];
    const { stdout, stderr } = await crm.run("import", args, tenant);
    assert.equal(JSON.parse(stdout).rejected, 0, stderr);
    const [there, here] = [await crm.records("account", other), await crm.records("account")];
    assert.deepEqual(
      there
        .filter(({ name }) => here.some((each) => each.name === name))
        .map(withoutOwn)
        .toSorted(byName),
      here.map(withoutOwn).toSorted(byName),
    );
  });
}

for (const [entity, by] of [
  ["account", "name"],
  ["contact", "email"],
] as const) {
  test(`an export of ${entity} records imports into its own tenant without a change`, async () => {
    const exported = crm.path(`${entity}.csv`);
    assert.equal((await crm.run("export", [exported, "--entity", entity])).code, 0);
    const done = await crm.import(exported, entity, "--upsert-by", by);
    assert.deepEqual([done.created, done.updated, done.rejected], [0, 0, 0], done.program.stderr);
    assert.ok(done.unchanged > 0);
  });
}

test("export --spreadsheet escapes cells that a spreadsheet would run as formulas, but no numbers", async () => {
  const { stdout } = await crm.run("export", [
    "--entity",
    "account",
    "--fields",
    "phone,note,size,budget",
    "--spreadsheet",
  ]);
  const [head, ...rows] = parse(stdout, { bom: true }) as string[][];
  assert.deepEqual(head, ["phone", "customFields.note", "customFields.size", "customFields.budget"]);
  assert.deepEqual(
    rows.map(([phone, , , budget]) => [phone, budget]).filter(([phone]) => phone !== ""),
    hard.map((text, index) => [/^'*[=+\-@]/.test(text) ? `'${text}` : text, index % 2 === 0 ? "-12.5" : "0.1 NOK"]),
  );
});

test("export selects fields, filters, updatedSince, archived records and names", async () => {
  const lines = async (...args: string[]): Promise<Stored[]> => {
    const { stdout, stderr } = await crm.run("export", ["--format", "ndjson", ...args]);
    assert.match(stderr, /^exported \d+ records in [\d.]+ s\n$/);
    return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  };
  const { tenant } = crm;
  const sale = ["--entity", "opportunity", "--fields", "name, account, contacts, pipeline, stage, owner"];
  const { account, contact, pipeline, stage } = tenant;
  const ids = { accountId: account, contactIds: [contact], pipelineId: pipeline, stageId: stage, ownerId: null };
  assert.deepEqual(await lines(...sale), [{ name: "First order", ...ids }]);
  assert.deepEqual(await lines(...sale, "--references", "name"), [
    {
      name: "First order",
      accountId: "Acme",
      contactIds: ["carla@acme.test"],
      pipelineId: "Sales",
      stageId: "New",
      ownerId: null,
    },
  ]);
  const tasks = [
    "--entity",
    "task",
    "--fields",
    "title,relatedTo.type,relatedTo.id,assignedTo",
    "--references",
    "name",
  ];
  const call = {
    title: "Call Carla",
    relatedTo: { type: "contact", id: "carla@acme.test" },
    assignedTo: "max@tenant.test",
  };
  assert.deepEqual(await lines(...tasks), [call]);
  const archived = await lines("--entity", "task", "--fields", "title,archivedAt", "--include-archived");
  assert.deepEqual(archived.map(({ title, archivedAt }) => [title, archivedAt ?? null]).toSorted(), [
    ["Call Carla", null],
    ["Old", "2026-01-05T08:00:00.000Z"],
  ]);
  const since = ["--entity", "account", "--fields", "name", "--updated-since", "2026-01-06T00:00:00Z"];
  assert.equal((await lines(...since)).length, accounts.length, "Acme was not changed since then");
});

test("export rejects unknown fields and invalid times, and creates its file only when complete", async () => {
  const wrong = await crm.run("export", ["--entity", "account", "--fields", "nam"]);
  assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /unknown field "nam" \(did you mean "name"\?\)\. Known fields: id, name, /);
  const target = crm.write("target.csv", "unchanged");
  const late = await crm.run("export", [target, "--entity", "account", "--updated-since", "yesterday"]);
  assert.deepEqual([late.code, crm.read("target.csv"), crm.has("target.csv.part")], [1, "unchanged", false]);
  assert.match(late.stderr, /updatedSince must be a date-time, such as/);
});
