import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { models } from "../../lib/model/kinds.ts";
import { type CustomField, completeTargets } from "../../lib/transfer/column-target.ts";
import { decodeText } from "../../lib/transfer/decode-text.ts";
import type { Entity } from "../../lib/transfer/entities.ts";
import { fieldTargets } from "../../lib/transfer/field-targets.ts";
import { guessColumns, sortParts } from "../../lib/transfer/guess-columns.ts";
import { guessDateFormats, guessDecimals, guessEncoding } from "../../lib/transfer/guess-format.ts";
import type { LocaleFormat } from "../../lib/transfer/locale-format.ts";
import { messyCsv } from "../console/messy-csv.ts";

type Catalog = readonly (CustomField & { readonly entity: string })[];
const catalog: Catalog = JSON.parse(readFileSync("fixtures/demo.json", "utf8")).customFields;

/** Guesses the columns of the first line for the demo tenant. Returns the names of the targets, or `-`. */
function guess(entity: Entity, csv: string, fieldsOfTenant = catalog): readonly string[] {
  const [header = [], ...rows] = csv.split("\n").map((line) => line.split(";"));
  const fields = fieldsOfTenant.filter((field) => field.entity === entity);
  const targets = completeTargets(fieldTargets(models[entity].fields), fields);
  return guessColumns(header, targets, { entity, rows }).map((target) => target?.name ?? "-");
}

test("the columns of a German spreadsheet of accounts are guessed", () => {
  const messy = messyCsv({ rows: 200 }).replace("\ufeff", "").replaceAll("\r", "");
  const values = ["name", "email", "phone", "address.city", "description"];
  const custom = ["customerSince", "creditLimit", "sites", "segment"].map((key) => `customFields.${key}`);
  assert.deepEqual(guess("account", messy), [...values, ...custom]);
});

test("the columns of an English export of accounts are guessed, except those of the server", () => {
  const header =
    "Record ID;Company name;Company Domain Name;Phone Number;Street Address;City;State/Region;Postal Code;" +
    "Country/Region;Company owner;Number of locations;Customer Segment;Create Date";
  const address = ["street", "city", "state", "postalCode", "country"].map((name) => `address.${name}`);
  const custom = ["customFields.sites", "customFields.segment"];
  assert.deepEqual(guess("account", header), [
    ...["externalId", "name", "website", "phone", ...address, "ownerId", ...custom, "-"],
  ]);
});

test("a column is guessed by the options of a field, in any case and Unicode form", () => {
  const hall = { entity: "account", key: "hall", label: "Hall", type: "list", options: ["Große Straße", "Café"] };
  const csv = "Lage\nGROSSE STRASSE\ngro\u00dfe stra\u00dfe\nCafe\u0301";
  assert.deepEqual(guess("account", csv, [hall as Catalog[number]]), ["customFields.hall"]);
});

test("a first and a last name, and a street and its number, fill one field together", () => {
  assert.deepEqual(guess("contact", "Nachname;Vorname;E-Mail-Adresse;Firma;Position;Mobil;Telefon"), [
    ...["name", "name", "email", "accountId", "jobTitle", "-", "phone"],
  ]);
  assert.deepEqual(guess("contact", "Vorname;Name;Tel."), ["name", "name", "phone"]);
  assert.deepEqual(guess("contact", "First Name;Full Name"), ["-", "name"]);
  assert.deepEqual(guess("account", "Firma;Straße;Hausnr.;PLZ;Ort"), [
    ...["name", "address.street", "address.street", "address.postalCode", "address.city"],
  ]);
  const header = ["Hausnummer", "Nachname", "Straße", "Vorname"];
  assert.deepEqual(sortParts(header, [1, 3]), [3, 1]);
  assert.deepEqual(sortParts(header, [0, 2]), [2, 0]);
});

test("the columns of deals, tasks and notes are guessed", () => {
  assert.deepEqual(guess("opportunity", "Deal Name;Deal Stage;Amount;Close Date;Associated Company;Lead Source"), [
    ...["name", "stageId", "amount", "expectedCloseDate", "accountId", "customFields.source"],
  ]);
  assert.deepEqual(guess("task", "Betreff;Fällig am;Priorität;Kontakt E-Mail;Zuständig"), [
    ...["title", "dueDate", "priority", "contact.email", "assignedTo"],
  ]);
  assert.deepEqual(guess("note", "Datum;Verfasser;Text;Firma"), ["occurredAt", "authorId", "body", "account.name"]);
});

test("a column without a known name is guessed from nearly all of its values, and only if one field fits", () => {
  const rows = Array.from({ length: 20 }, (_, row) =>
    [
      `k${row}@x.example`,
      "https://x.example",
      `+49 30 ${1_000_000 + row}`,
      row % 2 ? "SMB" : "enterprise",
      `${row}`,
    ].join(";"),
  );
  const csv = ["A;B;C;D;E", ...rows].join("\n");
  assert.deepEqual(guess("account", csv), ["email", "website", "phone", "customFields.segment", "-"]);
  const wrong = csv.replace(/k[0-4]@x/g, "none");
  assert.equal(guess("account", wrong)[0], "-");
  assert.deepEqual(guess("contact", "A;B\n2026-01-01;01067\n2026-02-01;0001234"), ["-", "-"]);
});

test("an exact name wins over a synonym, and a field is filled once", () => {
  assert.deepEqual(guess("account", "Firma;name;Company;createdAt"), ["-", "name", "-", "-"]);
  assert.deepEqual(guess("account", "customerSince;Kunde seit"), ["customFields.customerSince", "-"]);
});

test("the date format is that of most values, and both if the day could be the month", () => {
  assert.deepEqual(guessDateFormats(["05.09.2010", "24.12.2024", "", "31.02.2024", "unknown"]), ["DD.MM.YYYY"]);
  assert.deepEqual(guessDateFormats(["05/09/2010", "24/12/2024"]), ["DD/MM/YYYY"]);
  assert.deepEqual(guessDateFormats(["05/09/2010", "12/24/2024"]), ["MM/DD/YYYY"]);
  assert.deepEqual(guessDateFormats(["05/09/2010"]), ["DD/MM/YYYY", "MM/DD/YYYY"]);
  assert.deepEqual(guessDateFormats(["05-09-2010", "2026-01-31"]), ["DD-MM-YYYY"]);
  assert.deepEqual(guessDateFormats(["2026-01-31", "", "soon"]), []);
});

test("the decimal separator is that of most values, and both if a number has two meanings", () => {
  assert.deepEqual(guessDecimals(["1.500,50", "800", "viel"]), [","]);
  assert.deepEqual(guessDecimals(["1.200", "12,5 €"]), [","]);
  assert.deepEqual(guessDecimals(["1.200", "12.5 EUR"]), ["."]);
  assert.deepEqual(guessDecimals(["1.200", "800"]), [".", ","]);
  assert.deepEqual(guessDecimals(["12.5", "12,5"]), [".", ","]);
  assert.deepEqual(guessDecimals(["800", "", "viel"]), []);
});

test("a file is Windows-1252 if it isn't valid UTF-8", () => {
  assert.equal(guessEncoding(new TextEncoder().encode("Bäckerei")), "utf-8");
  assert.equal(guessEncoding(Buffer.from("Bäckerei", "latin1")), "windows-1252");
});

/** Bytes in UTF-16. The `little` end is that of Excel. */
function utf16(text: string, end: "little" | "big"): Buffer {
  const bytes = Buffer.from(text, "utf16le");
  return end === "little" ? bytes : bytes.swap16();
}

/** Decodes bytes in parts of one byte, the worst case. */
async function decode(bytes: Buffer, encoding: LocaleFormat["encoding"]): Promise<string> {
  async function* parts() {
    for (const byte of bytes) yield Uint8Array.of(byte);
  }
  let text = "";
  for await (const part of decodeText(parts(), { name: "f.csv", encoding })) text += part;
  return text;
}

test("a byte order mark tells the encoding, and wins over another one", async () => {
  const text = "\ufefffirma\tstadt\r\nBäckerei 😀\tਊ\r\n";
  for (const end of ["little", "big"] as const) {
    const bytes = utf16(text, end);
    const encoding = guessEncoding(bytes);
    assert.equal(encoding, end === "little" ? "utf-16le" : "utf-16be");
    assert.equal(await decode(bytes, encoding), text);
    assert.equal(await decode(bytes, "utf-8"), text);
    assert.equal(await decode(bytes.subarray(2), encoding), text.slice(1), "without a mark");
  }
  assert.equal(await decode(Buffer.from(text), "windows-1252"), text);
  assert.equal(await decode(Buffer.from("a"), "utf-8"), "a");
});

test("a file that isn't text is rejected with what to do, and invalid characters with their line", async () => {
  const rejects = (bytes: Buffer, encoding: LocaleFormat["encoding"], message: RegExp) =>
    assert.rejects(decode(bytes, encoding), { message });
  const zip = Buffer.from("PK\u0003\u0004\u0014\u0000", "latin1");
  for (const encoding of ["utf-8", "windows-1252"] as const)
    await rejects(zip, encoding, /^f\.csv: spreadsheets can't be used\. Save it as .*"CSV UTF-8"/);
  await rejects(
    utf16("a,b\r\n", "little"),
    "utf-8",
    /^f\.csv has a NUL character in line 1\. .* utf-16le or utf-16be\.$/,
  );
  await rejects(utf16("\ufeffa\r\nb\r\n\ud83dc", "little"), "utf-8", /^f\.csv isn't valid UTF-16 in line 3\./);
  await rejects(Buffer.of(97, 228), "utf-8", /UTF-8 in line 1\./);
  await rejects(Buffer.concat([Buffer.from("ä\nb\n"), Buffer.of(228)]), "utf-8", /UTF-8 in line 3\. .*windows-1252/);
});
