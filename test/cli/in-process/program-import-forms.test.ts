import assert from "node:assert/strict";
import { test } from "node:test";
import { counts, importCrm, type Stored } from "../../support/import-crm.ts";

const crm = await importCrm();
const valuesOf = (record: Stored | undefined, ...names: string[]): unknown[] => names.map((name) => record?.[name]);
const named = async (name: string): Promise<Stored | undefined> =>
  (await crm.records("account")).find((record) => record.name === name);

test("a byte order mark, CRLF, semicolons, quotes, cells of several lines and blank lines are parsed", async () => {
  const text = [
    '\ufeff"Name";Phone;"description";Address.City; street ;Postal Code;customFields.note;Size;BUDGET;since;segment;lines',
    '"Søk; ""Ål"" AS";+47 22 33 44 55;"one',
    'two";Oslo;Storgata 1;0155;=1+1;-2.5;12.50 EUR;2026-02-28;mid-market;"espresso; FILTER"',
    "",
    ";;;;;;;;;;;",
    'Plain;;;;;;;;1e3;;;"[""Beans; whole""]"',
  ].join("\r\n");
  const done = await crm.import(crm.write("forms.csv", text), "account");
  assert.deepEqual([counts(done), done.program.code, done.rows], [[2, 0, 0, 0], 0, 2], done.program.stderr);
  const first = await named('Søk; "Ål" AS');
  assert.deepEqual(valuesOf(first, "phone", "description", "address", "customFields", "email"), [
    "+47 22 33 44 55",
    "one\r\ntwo",
    { street: "Storgata 1", city: "Oslo", state: null, postalCode: "0155", country: null },
    {
      note: "=1+1",
      size: -2.5,
      budget: { amount: 12.5, currency: "EUR" },
      since: "2026-02-28",
      segment: "Mid-Market",
      lines: ["Espresso", "Filter"],
    },
    null,
  ]);
  const second = await named("Plain");
  assert.deepEqual(valuesOf(second, "address", "customFields"), [null, { budget: 1000, lines: ["Beans; whole"] }]);
});

test("rejected rows have their line and all errors, in the format of the imported file", async () => {
  const text =
    '\ufeffname;size;since;note\r\n"A\r\nB";1;2026-01-01;x\r\n"";many;2026-02-30;x\r\nC;1\r\nD;1;2026-01-01;x;y;z\r\n';
  const done = await crm.import(crm.write("wrong.csv", text), "account");
  assert.deepEqual([counts(done), done.rejectedFile], [[1, 0, 0, 3], crm.path("wrong.csv.rejected.csv")]);
  const since = 'customFields.since must be a date that exists. There is no 2026-02-30 (column ""since"").';
  assert.equal(
    crm.read("wrong.csv.rejected.csv"),
    "\ufeffname;size;since;note;_line;_errors;_text\n" +
      `;many;2026-02-30;x;4;"name is required. customFields.size must be a number (column ""size""). ${since}";\n` +
      ';;;;5;The row has 2 cells, but the header has 4.;"C;1"\n' +
      ';;;;6;"The row has 6 cells, but the header has 4. Extra cells: ""y"", ""z"".";"D;1;2026-01-01;x;y;z"\n',
  );
});

test("NDJSON accepts nested values and column names, and its rejected rows can be imported again", async () => {
  const lines = [
    { name: "Nested", address: { city: "Bergen" }, customFields: { size: 3, lines: ["Filter"] }, description: null },
    { NAME: "Flat", "address.city": "Bodø", size: 4, id: "left out" },
    { name: "Wrong", address: { town: "Bergen" }, sise: 4 },
    { name: "Wrong too", size: "4" },
  ];
  const text = `${lines.map((line) => JSON.stringify(line)).join("\n")}\n\n[1]\n{"name":\n`;
  const done = await crm.import(crm.write("some.ndjson", text), "account");
  assert.deepEqual([counts(done), done.rejectedFile], [[2, 0, 0, 4], crm.path("some.ndjson.rejected.ndjson")]);
  assert.deepEqual(valuesOf(await named("Nested"), "customFields", "description"), [
    { size: 3, lines: ["Filter"] },
    null,
  ]);
  assert.deepEqual(valuesOf(await named("Flat"), "customFields"), [{ size: 4 }]);
  const rejected = crm.read("some.ndjson.rejected.ndjson");
  assert.deepEqual(
    rejected
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
    [
      {
        ...lines[2],
        _line: 3,
        _errors: ['Unknown field "sise".', 'Unknown field "town".'],
      },
      { ...lines[3], _line: 4, _errors: ["customFields.size must be a number."] },
      { _text: "[1]", _line: 6, _errors: ["The line must be a JSON object, such as {}."] },
      {
        _text: '{"name":',
        _line: 7,
        _errors: [
          "The line isn't valid JSON at column 9. Look for missing quotes, stray commas and unclosed brackets.",
        ],
      },
    ],
  );
  const corrected = rejected.replace("sise", "size").replace('"town"', '"city"').replace('"4"', "4");
  const again = await crm.import(crm.write("corrected.ndjson", corrected), "account");
  assert.deepEqual(counts(again), [2, 0, 0, 2], again.program.stderr);
});

const invalid: readonly (readonly [
  what: string,
  file: string,
  content: string | Uint8Array,
  more: string[],
  says: string,
])[] = [
  [
    "unknown columns",
    "a.csv",
    "name,Compny,siz\n",
    [],
    'Unknown columns "Compny", "siz" (did you mean "customFields.size"?). Map each with --map FIELD=COLUMN',
  ],
  ["a repeated column", "b.csv", "name,Phone,phone\n", [], 'The header has the column "phone" twice.'],
  [
    "two columns for one field",
    "c.csv",
    "name,owner,ownerId\n",
    [],
    'The columns "owner" and "ownerId" map to the same field ownerId.',
  ],
  [
    "--map of an unknown column",
    "d.csv",
    "nam\n",
    ["--map", "name=name"],
    `The file doesn't have the column "name" of --map (did you mean "nam"?).`,
  ],
  [
    "--map to an unknown field",
    "e.csv",
    "naam\n",
    ["--map", "nam=naam"],
    '--map nam=naam: unknown field "nam" (did you mean "name"?).',
  ],
  ["a header without the name", "f.csv", "phone\n1\n", [], "No column for the required field name of account."],
  ["an empty file", "g.csv", "\n\n", [], "is empty. The first line must have the column names."],
  [
    "a field that --upsert-by doesn't support",
    "h.csv",
    "name\n",
    ["--upsert-by", "email"],
    "--upsert-by can't be email for --entity account. Supported fields: name, externalId, id.",
  ],
  ["a spreadsheet", "j.xlsx", "PK", [], "spreadsheets can't be used. Use a CSV file."],
  ["an unclear file extension", "i.json", "{}", [], "if every line is one JSON object, use the extension .ndjson."],
];
for (const [what, file, content, more, says] of invalid) {
  test(`${what} is a usage error, and nothing is written`, async () => {
    const before = await crm.records("account");
    const { code, stdout, stderr } = await crm.run("import", [
      crm.write(file, content),
      "--entity",
      "account",
      ...more,
    ]);
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.ok(stderr.includes(says), stderr);
    assert.deepEqual([await crm.records("account"), crm.has(`${file}.progress.json`)], [before, false]);
  });
}

const unreadable: readonly (readonly [what: string, content: string | Uint8Array, says: string])[] = [
  [
    "bytes that are not UTF-8",
    Buffer.from("name\nOK\nBl\xe5\n", "latin1"),
    "isn't valid UTF-8 in line 3. Save it as UTF-8",
  ],
  ["a quote that nothing closes", 'name,phone\nA,1\nB,"2\nC,3\n', "row starting at line 3: unclosed quote."],
  [
    "a quote in a cell without quotes",
    'name,phone\nTV 42" flat,1\n',
    "row starting at line 2: quote in an unquoted cell.",
  ],
];
for (const [what, content, says] of unreadable) {
  test(`a file with ${what} is rejected before its first row is written`, async () => {
    const before = await crm.records("account");
    const { code, stderr } = await crm.run("import", [crm.write("bad.csv", content), "--entity", "account"]);
    assert.equal(code, 1, stderr);
    assert.ok(stderr.includes(says), stderr);
    assert.deepEqual(await crm.records("account"), before);
  });
}

test("--ignore-columns skips unknown columns, and the output lists ignored read-only columns", async () => {
  const file = crm.write("extra.csv", "name,colour,id,updatedAt\nExtra,red,x,y\n");
  const done = await crm.import(file, "account", "--ignore-columns");
  assert.deepEqual(counts(done), [1, 0, 0, 0]);
  assert.match(done.program.stderr, /^Ignored read-only columns: id, updatedAt\.$/m);
});
