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
    const newsletter = ["ja", "nein", "x", "", "WAHR"][index % 5];
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

test("import --save-mapping saves options that --config reuses", async () => {
  const mapping = crm.path("mapping.json");
  const first = crm.write("first.csv", "Vorname;Nachname;Umsatz\r\n Ada ;Weiß;1.000,5\r\n");
  const options = ["--trim", "--decimal", ",", "--map", "name={Vorname} {Nachname}", "--map", "size=Umsatz"];
  await crm.import(first, "contact", ...options, "--save-mapping", mapping);
  const second = crm.write("second.csv", "Vorname;Nachname;Umsatz\r\nBo;Öztürk;2.000,5\r\n");
  assert.deepEqual(counts(await crm.import(second, "contact", "--config", mapping)), [1, 0, 0, 0]);
  const found = (await crm.records("contact")).find(({ name }) => name === "Bo Öztürk");
  assert.deepEqual(found?.customFields, { size: 2000.5 });
  const third = await crm.run("import", [second, "--entity", "contact", "--save-mapping", mapping]);
  assert.match(third.stderr, /mapping\.json: it exists and isn't overwritten/);
});

test("import finds an owner by name, and --drop-invalid leaves an unknown one out", async () => {
  const file = crm.write("owners.csv", "name,ownerId\nOne,max member\nTwo,Nobody\n");
  const rejected = await crm.import(file, "account", "--dry-run");
  assert.match(rejected.said.stderr, /ownerId: "Nobody" doesn't match any user by id, email, name/);
  const done = await crm.import(file, "account", "--drop-invalid", "owner");
  assert.deepEqual(counts(done), [2, 0, 0, 0]);
  const owners = (await crm.records("account")).map(({ name, ownerId }) => [name, ownerId]);
  assert.deepEqual(owners.find(([name]) => name === "One")?.[1], crm.tenant.member);
  assert.match(done.said.stderr, /^line 3: imported without ownerId: "Nobody"/m);
});

test("import rejects wrong forms of cells", async () => {
  const rows = "name;size;since\nA;1200.50;2026-03-01\nB;1.20;01.03.2026\nC;-1 234,5;31.2.2026\n";
  const done = await crm.import(
    crm.write("cells.csv", rows),
    "account",
    ...["--decimal", ",", "--date-format", "D.M.YYYY"],
  );
  assert.deepEqual(counts(done), [0, 0, 0, 3]);
  const { code, stderr } = await crm.run("import", ["x.csv", "--entity", "account", "--date-format", "DD.MM"]);
  assert.deepEqual([code, /must contain DD, MM and YYYY once each/.test(stderr)], [2, true]);
});
