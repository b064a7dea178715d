import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { counts, importCrm } from "../support/import-crm.ts";
import { programCommand } from "../support/program.ts";

const crm = await importCrm();
const lines = (...rows: readonly string[]): string => `${rows.join("\n")}\n`;

/** The reasons for which each row was rejected. */
function reasons(file: string): readonly unknown[] {
  const rejected = crm.read(`${file}.rejected.ndjson`).trim().split("\n");
  return rejected.map((line) => JSON.parse(line)._errors);
}

test("a row of NDJSON in which two keys set one value is rejected", async () => {
  const text = lines(
    '{"name":"A","name":"B"}',
    '{"name":"Left","Name":"Right"}',
    '{"name":"A","address":{"city":"A"},"city":"B"}',
    '{"name":"A","address":null,"city":"B"}',
    '{"name":"A","city":"B","Address":{"CITY":"A","street":"S"}}',
    '{"name":"A","customFields":{"size":1,"size":2}}',
    '{"name":"One of each","address":{"city":"A"},"street":"B","size":1}',
  );
  for (const more of [[], ["--ignore-columns"]]) {
    const done = await crm.import(crm.write("twice.ndjson", text), "account", "--restart", ...more);
    assert.deepEqual(counts(done), [more.length === 0 ? 1 : 0, 0, 0, more.length === 0 ? 6 : 7], done.program.stderr);
    assert.deepEqual(reasons("twice.ndjson").slice(0, 6), [
      ['The line has the key "name" twice in one object.'],
      ['The keys "name" and "Name" map to the same field name.'],
      ['The keys "address.city" and "city" map to the same field address.city.'],
      ['The keys "address" and "city" map to the same field address.city.'],
      ['The keys "city" and "address.CITY" map to the same field address.city.'],
      ['The line has the key "size" twice in one object.'],
    ]);
  }
});

test("a null address is cleared, and --ignore-columns skips keys that aren't fields", async () => {
  const first = lines('{"name":"Moves","address":{"city":"Oslo"},"externalId":"M"}');
  await crm.import(crm.write("first.ndjson", first), "account");
  const second = lines('{"externalId":"M","address":null,"relatedTo":null,"colour":{"name":"red"}}');
  const file = crm.write("second.ndjson", second);
  const done = await crm.import(file, "account", "--upsert-by", "externalId", "--ignore-columns");
  assert.deepEqual(counts(done), [0, 1, 0, 0], done.program.stderr);
  const moved = (await crm.records("account")).find(({ name }) => name === "Moves");
  assert.equal(moved?.address, null);
});

test("with --ignore-columns, a mapped key replaces the key with the name of the field", async () => {
  const text = lines('{"name":"old","Company":"Mapped","size":1}');
  const args = [crm.write("mapped.ndjson", text), "account", "--map", "name=Company"] as const;
  const second = await crm.import(...args);
  assert.deepEqual(counts(second), [0, 0, 0, 1]);
  assert.deepEqual(reasons("mapped.ndjson"), [['The keys "name" and "Company" map to the same field name.']]);
  const done = await crm.import(...args, "--ignore-columns");
  assert.deepEqual(counts(done), [1, 0, 0, 0], done.program.stderr);
  assert.ok((await crm.records("account")).some(({ name }) => name === "Mapped"));
});

test("--map maps one column to one field, and rejects a second column", async () => {
  const file = crm.write("one.csv", "name,Code\nA,1\n");
  const args = [file, "--entity", "account", "--map", "externalId=Code", "--map", "phone=code"];
  const { code, stderr } = await crm.run("import", args);
  assert.deepEqual(
    [code, /the column "Code" to externalId and to phone\. Map it to one field only/.test(stderr)],
    [2, true],
  );
});

test("a mapped key that no row of NDJSON has is reported before the first write, or at the end of a pipe", async () => {
  const before = await crm.records("account");
  const text = lines('{"name":"First"}', '{"name":"Second","tele_fon":"1"}');
  const args = ["--entity", "account", "--map", "phone=Telefax"];
  const { code, stderr } = await crm.run("import", [crm.write("keys.ndjson", text), ...args]);
  assert.deepEqual([code, /No row has the column "Telefax" of --map\./.test(stderr)], [2, true], stderr);
  assert.deepEqual([await crm.records("account"), crm.has("keys.ndjson.progress.json")], [before, false]);

  const words = [...programCommand.slice(1), "import", "-", "--format", "ndjson", ...args];
  const rejected = ["--rejected", crm.path("rejected.ndjson"), "--ignore-columns"];
  const piped = spawnSync(process.execPath, [...words, ...crm.storageArgs, ...rejected], {
    input: text,
    encoding: "utf8",
  });
  assert.deepEqual([piped.status, /No row has the column "Telefax"/.test(piped.stderr)], [0, true], piped.stderr);

  const mapped = await crm.import(crm.path("keys.ndjson"), "account", "--map", "phone=Telefon", "--upsert-by", "name");
  assert.deepEqual(counts(mapped), [0, 1, 1, 0], mapped.program.stderr);
  assert.ok((await crm.records("account")).some(({ phone }) => phone === "1"));
});
