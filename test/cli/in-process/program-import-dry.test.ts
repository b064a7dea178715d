import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { counts, importCrm } from "../../support/import-crm.ts";

const crm = await importCrm();
const contacts = ["name,email,phone,externalId", "A,a@x.example,1,E1", "B,A@X.example,2,E2", ",b@x.example,3,E3"];
const text = `${contacts.join("\n")}\nCarla,carla@acme.test,4,E4\n`;

test("import --dry-run reports invalid rows and duplicates within the file, and writes nothing", async () => {
  const file = crm.write("dry.csv", text);
  const before = [readdirSync(crm.path("")), await crm.records("contact")];
  const done = await crm.import(file, "contact", "--dry-run");
  assert.deepEqual([counts(done), done.program.code, done.rejectedFile], [[1, 0, 0, 3], 1, null]);
  assert.deepEqual([readdirSync(crm.path("")), await crm.records("contact")], before);
  const notes = done.program.stderr
    .split("\n")
    .slice(0, 6)
    .map((line) => line.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, "ID"));
  assert.deepEqual(notes, [
    "Rejected:",
    "2 rows: There is already a contact with this email.",
    '  line 3: There is already a contact with this email. Existing record: ID. It is "A".',
    '  line 5: There is already a contact with this email. Existing record: ID. It is "Carla Contact".',
    "1 row: name is required.",
    "  line 4",
  ]);
  const real = await crm.import(file, "contact");
  assert.deepEqual(counts(real), counts(done), "the import differs from its dry run");
});

test("import --dry-run --upsert-by counts created, updated and unchanged rows, including matches of earlier rows", async () => {
  const rows = [
    "Nora,n@x.example,1",
    "Nora,N@x.example,1",
    "Nora,n@x.example,2",
    "Carla Contact,carla@acme.test,",
    "A,a@x.example,9",
  ];
  const file = crm.write("upsert.csv", `name,email,phone\n${rows.join("\n")}\n`);
  const before = await crm.records("contact");
  const dry = await crm.import(file, "contact", "--upsert-by", "email", "--dry-run");
  assert.deepEqual(counts(dry), [1, 3, 1, 0], dry.program.stderr);
  assert.deepEqual(await crm.records("contact"), before);
  const real = await crm.import(file, "contact", "--upsert-by", "email");
  assert.deepEqual(counts(real), counts(dry));
  const again = await crm.import(
    crm.write("again.csv", `name,email,phone\n${rows.slice(2).join("\n")}\n`),
    "contact",
    "--dry-run",
    "--upsert-by",
    "email",
  );
  assert.deepEqual(counts(again), [0, 0, 3, 0]);
});

test("import --dry-run --rejected writes the rejected rows and renames an existing file to .old", async () => {
  const file = crm.write("named.csv", text);
  const rejected = crm.write("rejected.csv", "edited by hand\n");
  const done = await crm.import(file, "contact", "--dry-run", "--rejected", rejected);
  assert.deepEqual([done.rejectedFile, counts(done)], [rejected, [0, 0, 1, 3]]);
  assert.match(
    done.program.stderr,
    /^Rows that an earlier import of this file created: 1\. Use --restart to create them again\.$/m,
  );
  assert.equal(crm.read("rejected.csv").split("\n").length, 5);
  assert.equal(crm.read("rejected.csv.old"), "edited by hand\n");
});
