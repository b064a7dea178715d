import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { counts, importCrm } from "../../support/import-crm.ts";

const crm = await importCrm();

test("rejected rows with too many or too few cells create records only after they are corrected", async () => {
  const text = 'name,phone,description\nAcme, Inc,555,"two\nlines"\nShort\n';
  const first = await crm.import(crm.write("cells.csv", text), "account");
  assert.deepEqual(counts(first), [0, 0, 0, 2], first.program.stderr);
  const rejected = crm.read("cells.csv.rejected.csv");
  const texts = (parse(rejected) as string[][]).slice(1).map((row) => row.at(-1));
  assert.deepEqual(texts, ['Acme, Inc,555,"two\nlines"', "Short"]);

  const again = await crm.import(crm.write("again.csv", rejected), "account");
  assert.deepEqual(counts(again), [0, 0, 0, 2], again.program.stderr);
  assert.match(
    again.program.stderr,
    /^2 rows: The original row is in _text\. Move its values to the other columns and clear _text\.\n {2}line 2$/m,
  );
  const twice = (parse(crm.read("again.csv.rejected.csv")) as string[][]).slice(1).map((row) => row.at(-1));
  assert.deepEqual(twice, texts, "the earlier content remains");

  const corrected = `name,phone,description,_line,_errors,_text\n"Acme, Inc",555,,2,"wrong",\nShort,,,4,,\nLong,1,,5,,,\n`;
  const done = await crm.import(crm.write("corrected.csv", corrected), "account");
  assert.deepEqual(counts(done), [2, 0, 0, 1], done.program.stderr);
  const [, row] = parse(crm.read("corrected.csv.rejected.csv")) as string[][];
  assert.equal(row?.at(-1), "Long,1,,5,,,");
});

test("a line of NDJSON that isn't JSON is rejected until its _text is empty", async () => {
  await crm.import(crm.write("broken.ndjson", '{"name":\n'), "account");
  const broken = JSON.parse(crm.read("broken.ndjson.rejected.ndjson"));
  const half = crm.write("half.ndjson", `${JSON.stringify({ ...broken, name: "Mended" })}\n`);
  assert.deepEqual(counts(await crm.import(half, "account")), [0, 0, 0, 1]);
  assert.equal(JSON.parse(crm.read("half.ndjson.rejected.ndjson"))._text, '{"name":');
  const whole = crm.write("whole.ndjson", `${JSON.stringify({ ...broken, name: "Mended", _text: "" })}\n`);
  assert.deepEqual(counts(await crm.import(whole, "account")), [1, 0, 0, 0]);
});
