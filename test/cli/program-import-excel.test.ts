import assert from "node:assert/strict";
import { test } from "node:test";
import { counts, importCrm } from "../support/import-crm.ts";

const crm = await importCrm();

/** Rows of the file. Every tenth repeats an email address, and every 50th has a wrong one. */
const count = Number(process.env.CRM_TEST_EXCEL_ROWS ?? 500);
const umlauts = ["Müller", "Größ", "Schäfer", "Öztürk", "Weiß"];

/** A contact list as Excel saves it in Germany: byte order mark, semicolons, CRLF, comma decimals, days first. */
function excelFile(): string {
  const header = "Vorname;Nachname;E-Mail;Telefon;Umsatz;Kunde seit;Newsletter;Potenzial";
  const rows = Array.from({ length: count }, (_, index) => {
    const [name, day] = [umlauts[index % umlauts.length], String((index % 28) + 1).padStart(2, "0")];
    const isWrong = index % 50 === 49;
    const email = isWrong
      ? `kontakt${index}(at)web.example`
      : `kontakt${index % 10 === 8 ? index - 1 : index}@web.example`;
    const newsletter = ["ja", "nein", "x", "", "WAHR"][index % 4];
    return ` Jörg ; ${name} ; ${email} ;0221 ${index};1.${String(index % 1000).padStart(3, "0")},50;${day}.03.2026;${newsletter};12.500,75 €`;
  });
  return `\ufeff${[header, ...rows].join("\r\n")}\r\n`;
}

const excelOptions = [
  ...["--date-format", "DD.MM.YYYY", "--decimal", ",", "--trim", "--drop-invalid", "email"],
  ...["--map", "name={Vorname} {Nachname}", "--map", "email=E-Mail", "--map", "phone=Telefon"],
  ...["--map", "size=Umsatz", "--map", "since=Kunde seit", "--map", "budget=Potenzial"],
];

test("import reads a contact list of a German Excel, and rejects only the repeated email addresses", async () => {
  const file = crm.write("kontakte.csv", excelFile());
  const done = await crm.import(file, "contact", ...excelOptions);
  const [duplicates, wrong] = [count / 10, count / 50];
  assert.deepEqual(counts(done), [count - duplicates, 0, 0, duplicates], done.said.stderr.slice(0, 2000));
  const contacts = await crm.records("contact");
  const second = contacts.find(({ email }) => email === "kontakt1@web.example");
  assert.equal(second?.name, "Jörg Größ");
  assert.deepEqual(second?.customFields, {
    size: 1001.5,
    since: "2026-03-02",
    newsletter: "Nein",
    budget: { amount: 12500.75, currency: "EUR" },
  });
  assert.equal(contacts.filter(({ email }) => email === null).length, wrong);
  const dropped = done.said.stderr.match(/^line \d+: imported without email: .*$/gm) ?? [];
  assert.equal(dropped.length, wrong, "every dropped cell is reported");
  assert.match(dropped[0] ?? "", /^line 51: .*kontakt49\(at\)web\.example/);
  assert.match(done.said.stderr, /Existing record: \S+ \(Jörg \S+, row 8 of this file\)/);

  const again = await crm.import(file, "contact", ...excelOptions);
  assert.deepEqual(counts(again), [0, 0, count - duplicates, duplicates], "a repeated import creates nothing");
});
