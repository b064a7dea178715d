import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeNumber, toYesNoOption } from "../../../lib/transfer/locale-format.ts";
import { counts, importCrm } from "../../support/import-crm.ts";

const crm = await importCrm();
const header = "Kundennr;Vorname;Nachname;E-Mail;Umsatz;Kunde seit;Bemerkung";

/** An export of a German spreadsheet. Every 500th email address is invalid, and every 1000th name is missing. */
function germanExport(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const day = `${String((index % 28) + 1).padStart(2, "0")}.0${(index % 9) + 1}.2025`;
    const email = index % 500 === 7 ? "keine" : `kunde${index}@müller.example`.replace("ü", "ue");
    const names = index % 1000 === 13 ? ";" : `Jürgen;Groß ${index}`;
    return `K${index};${names};${email};1.${100 + (index % 800)},50 €;${day}; "zahlt" spät `.replaceAll('"', "'");
  });
  return [header, ...lines, ""].join("\r\n");
}

const options = [
  ...["name={Vorname} {Nachname}", "externalId=Kundennr", "email=E-Mail", "customFields.budget=Umsatz"],
  ...["customFields.since=Kunde seit", "description=Bemerkung"],
].flatMap((map) => ["--map", map]);
const german = [...options, "--decimal", ",", "--date-format", "DD.MM.YYYY", "--trim", "--drop-invalid", "email"];

test("a German spreadsheet export of 2,000 rows is imported except the rows that are wrong", async () => {
  const file = crm.write("kunden.csv", `\ufeff${germanExport(2000)}`);
  const done = await crm.import(file, "account", ...german);
  // Two rows have no name.
  assert.deepEqual(counts(done), [1998, 0, 0, 2], done.program.stderr.slice(0, 1000));
  const lines = done.program.stderr.split("\n").filter((line) => !line.startsWith("importing: "));
  const email = "email must be an email address, such as ana@example.com.";
  assert.deepEqual(lines.slice(0, 7), [
    "Imported without invalid cells:",
    `4 cells: ${email}`,
    '  line 9: "keine"',
    '  line 509: "keine"',
    "Rejected:",
    "2 rows: name is required.",
    "  line 15",
  ]);
  const found = (await crm.records("account")).find(({ externalId }) => externalId === "K5");
  assert.deepEqual(
    [found?.name, found?.description, found?.customFields],
    ["Jürgen Groß 5", "'zahlt' spät", { budget: { amount: 1105.5, currency: "EUR" }, since: "2025-06-06" }],
  );
  const again = await crm.import(file, "account", ...german);
  assert.deepEqual(counts(again), [0, 0, 1998, 2], "a second import creates nothing");
});

test("unknown columns have a guess that can be copied, and works", async () => {
  const file = crm.write(
    "guess.csv",
    "Firmenname;Vorname;Nachname;E-Mail-Adresse\r\nWeiß GmbH;Uta;Weiß;uta@w.example\r\n",
  );
  const args = [file, "--entity", "contact", "--drop-invalid", "account"];
  const { code, stderr } = await crm.run("import", args);
  assert.equal(code, 2);
  const guessed = /Guessed: (.*)\. Fields: /.exec(stderr)?.[1] ?? "";
  assert.equal(guessed, "--map accountId=Firmenname --map 'name={Vorname} {Nachname}' --map email=E-Mail-Adresse");
  const maps = [...guessed.matchAll(/--map (?:'([^']*)'|(\S+))/g)].flatMap(([, quoted, plain]) => [
    "--map",
    quoted ?? plain ?? "",
  ]);
  assert.equal((await crm.run("import", [...args, ...maps])).code, 0);
  assert.ok((await crm.records("contact")).some(({ name, email }) => name === "Uta Weiß" && email === "uta@w.example"));
});

test("a yes/no list accepts the words of a checkbox, and a duplicate has the name of the other contact", async () => {
  assert.equal(toYesNoOption("x", ["Ja", "Nein"]), "Ja");
  assert.equal(toYesNoOption("FALSCH", ["Ja", "Nein"]), "Nein");
  assert.equal(toYesNoOption("FALSE", ["Yes", "No"]), "No");
  assert.equal(toYesNoOption("true", ["Hot", "Cold"]), "true");
  const file = crm.write("contacts.csv", "name;email\r\nEva Groß;eva@b.example\r\nEva G.;EVA@b.example\r\n");
  const done = await crm.import(file, "contact");
  assert.deepEqual(counts(done), [1, 0, 0, 1]);
  assert.match(done.program.stderr, /line 3: .*It is "Eva Groß"\./);
});

test("a decimal comma allows points or spaces between thousands, and nothing else", () => {
  const texts = ["1.234,50", "1 234,5", "1\u00a0234\u00a0567", "-12,5", "1200.50", "1.20", "1.234 567", "1,2,3"];
  assert.deepEqual(
    texts.map((text) => normalizeNumber(text, ",")),
    ["1234.50", "1234.5", "1234567", "-12.5", undefined, undefined, undefined, undefined],
  );
});

test("import --drop-invalid email rejects duplicates, so that a corrected file creates no second record", async () => {
  const rows = "name;email\r\nUwe Weiß;uwe@weiss.example\r\n";
  const drop = ["--drop-invalid", "email"];
  assert.deepEqual(counts(await crm.import(crm.write("uwe.csv", rows), "contact", ...drop)), [1, 0, 0, 0]);
  const corrected = crm.write("uwe-2.csv", `${rows}Ida Öz;ida@oez.example\r\n`);
  assert.deepEqual(counts(await crm.import(corrected, "contact", ...drop)), [1, 0, 0, 1]);
});

test("a Windows-1252 file is rejected with the option that reads it, and imported with it", async () => {
  const file = crm.write("ansi.csv", Buffer.from("name;email\r\nBäckerei;a@b.example\r\n", "latin1"));
  const args = [file, "--entity", "account"];
  assert.match((await crm.run("import", args)).stderr, /isn't valid UTF-8 in line 2\. .*the encoding windows-1252/);
  assert.equal((await crm.run("import", [...args, "--encoding", "windows-1252"])).code, 0);
  assert.ok((await crm.records("account")).some(({ name }) => name === "Bäckerei"));
});

test("a UTF-16 file of a spreadsheet is imported, and a renamed spreadsheet is rejected", async () => {
  const file = crm.write(
    "unicode.txt",
    Buffer.from("\ufeffname\temail\r\nBäckerei 16\tkeine\r\nMüller 16\t\r\n", "utf16le"),
  );
  const done = await crm.import(file, "account", "--encoding", "utf-16le");
  assert.deepEqual(counts(done), [1, 0, 0, 1]);
  const again = await crm.import(file, "account", "--drop-invalid", "email");
  assert.deepEqual(counts(again), [1, 0, 1, 0]);
  assert.ok((await crm.records("account")).some(({ name }) => name === "Bäckerei 16"));
  const sheet = crm.write("sheet.csv", Buffer.from("PK\u0003\u0004\u0014\u0000", "latin1"));
  const { code, stderr } = await crm.run("import", [sheet, "--entity", "account"]);
  assert.deepEqual([code, /sheet\.csv: spreadsheets can't be used\. Save it as /.test(stderr)], [1, true], stderr);
});

test("export --spreadsheet starts with a byte order mark and can use semicolons", async () => {
  const { stdout } = await crm.run("export", ["--entity", "account", "--spreadsheet", "--delimiter", ";"]);
  assert.match(stdout, /^\ufeffid;name;/);
});
