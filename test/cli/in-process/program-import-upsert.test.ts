import assert from "node:assert/strict";
import { test } from "node:test";
import { counts, importCrm, type Stored } from "../../support/import-crm.ts";

const crm = await importCrm();
const { tenant } = crm;
const accounts = (text: string, ...more: string[]) => crm.import(crm.write("accounts.csv", text), "account", ...more);
const contacts = (text: string, ...more: string[]) => crm.import(crm.write("contacts.csv", text), "contact", ...more);
const accountOf = async (externalId: string): Promise<Stored | undefined> =>
  (await crm.records("account")).find((record) => record.externalId === externalId);

test("import --upsert-by updates matching records and creates the others; a second run changes nothing", async () => {
  const first = await accounts("name,externalId,phone,city,size,street\nNord,N1,1,Oslo,5,Gate 1\nSyd,S1,2,Lund,,\n");
  assert.deepEqual(counts(first), [2, 0, 0, 0]);
  const text = "name,externalId,phone,city,note\nNORD,N1,,Bergen,hi\nSyd,S1,2,Lund,\nVest,V1,3,,\n";
  const second = await accounts(text, "--upsert-by", "externalId");
  assert.deepEqual(counts(second), [1, 1, 1, 0], second.program.stderr);
  const nord = await accountOf("N1");
  assert.deepEqual(
    [nord?.name, nord?.phone, nord?.address, nord?.customFields],
    [
      "NORD",
      "1",
      { street: "Gate 1", city: "Bergen", state: null, postalCode: null, country: null },
      { size: 5, note: "hi" },
    ],
  );
  const before = await crm.records("account");
  assert.deepEqual(counts(await accounts(text, "--upsert-by", "name")), [0, 0, 3, 0]);
  assert.deepEqual(await crm.records("account"), before);
});

test("import --upsert-by ignores empty cells, and clears fields with --empty clear, but no required ones", async () => {
  await accounts("name,externalId,phone,street,city,size,lines\nClear,C1,1,Gate 1,Oslo,5,Filter\n");
  const text = "name,externalId,phone,street,city,size,lines\nClear,C1,,,,,\n";
  assert.deepEqual(counts(await accounts(text, "--upsert-by", "name")), [0, 0, 1, 0]);
  const cleared = await accounts(text.replace("Clear,", ","), "--upsert-by", "externalId", "--empty", "clear");
  assert.deepEqual(counts(cleared), [0, 1, 0, 0], cleared.program.stderr);
  const record = await accountOf("C1");
  assert.deepEqual([record?.name, record?.phone, record?.address, record?.customFields], ["Clear", null, null, {}]);
});

test("two rows that match the same record apply in order; without --upsert-by the second is rejected", async () => {
  const twice = "name,email,phone\nKari,kari@x.example,1\nKari,KARI@x.example,2\n";
  const upserted = await contacts(twice, "--upsert-by", "email");
  assert.deepEqual(counts(upserted), [1, 1, 0, 0], upserted.program.stderr);
  const [kari] = await crm.records("contact");
  assert.equal(kari?.phone, "2");
  const nameless = "name,externalId,phone\nPer,P1,1\nPer,P1,2\n";
  assert.deepEqual(
    counts(await contacts(nameless, "--upsert-by", "externalId")),
    [1, 1, 0, 0],
    "no other field identifies both rows",
  );
  const made = await contacts(twice.replaceAll(/kari/gi, "ola"));
  assert.deepEqual(counts(made), [1, 0, 0, 1]);
  const ola = (await crm.records("contact")).find(({ name }) => name === "ola");
  assert.equal(ola?.phone, "1", "the first one won");
  assert.match(
    crm.read("contacts.csv.rejected.csv"),
    new RegExp(
      `^ola,ola@x.example,2,3,"There is already a contact with this email. Existing record: ${ola?.id}. It is ""ola"".",$`,
      "m",
    ),
  );
});

test("of rows with the same value in different batches, the first creates the record", async () => {
  // A batch has 512 rows. Rows repeat those of two batches before, so a batch conflicts with the one before.
  const names = Array.from({ length: 4_000 }, (_, row) => `Big ${row >= 600 && row % 20 === 0 ? row - 590 : row}`);
  const lines = names.map((name, row) => `${name},${row}\n`);
  const isFirst = (_: string, row: number) => names.indexOf(names[row] ?? "") === row;
  const result = await accounts(`name,phone\n${lines.join("")}`);
  const expected = lines.filter(isFirst);
  assert.deepEqual([result.rows, counts(result)], [4_000, [expected.length, 0, 0, 4_000 - expected.length]]);
  const created = (await crm.records("account")).filter(({ name }) => String(name).startsWith("Big "));
  assert.deepEqual(created.map(({ name, phone }) => `${name},${phone}\n`).toSorted(), expected.toSorted());
});

test("each row of a batch is rejected on its own", async () => {
  await accounts("name\nSTRASSE 1\nStrasse 2\n");
  const names = Array.from({ length: 100 }, (_, row) => (row % 40 === 7 ? `Straße ${row}` : `Together ${row}`));
  const text = `name\n${names.join("\n")}\nStraße 1\nStraße 2\nStraße 47\nSTRASSE 47\n`;
  const done = await accounts(text);
  assert.deepEqual(counts(done), [100, 0, 0, 4], done.program.stderr);
  const rejected = crm.read("accounts.csv.rejected.csv").trim().split("\n").slice(1);
  assert.deepEqual(
    rejected.map((line) => line.split(",").slice(0, 2)),
    ["Straße 1", "Straße 2", "Straße 47", "STRASSE 47"].map((name, index) => [name, String(102 + index)]),
  );
});

test("a row that matches several records is rejected with their IDs", async () => {
  await accounts("name,externalId\nTwin one,T\nTwin two,T\n");
  const twins = (await crm.records("account")).filter(({ externalId }) => externalId === "T").map(({ id }) => id);
  const done = await accounts("name,externalId\nTwin,T\nLone,\n", "--upsert-by", "externalId");
  assert.deepEqual(counts(done), [0, 0, 0, 2]);
  assert.deepEqual(crm.read("accounts.csv.rejected.csv").split("\n").slice(1, 3), [
    `Twin,T,2,"Several accounts have this externalId. Update one of them by its ID. IDs: ${twins.join(", ")}.",`,
    `Lone,,3,"externalId is required, because it identifies the record to update.",`,
  ]);
});

test("rows refer to records by ID, name, email address or externalId; unknown and ambiguous references are errors", async () => {
  await accounts("name,externalId\nRef one,R1\nRef two,Ref one\n");
  const text = [
    "name,account,owner,email",
    `By id,${tenant.account},${tenant.member},id@x.example`,
    "By name,acme,MAX@tenant.test,name@x.example",
    "By externalId,R1,,external@x.example",
    "Ambiguous,Ref one,ina@tenant.test,none",
    "Unknown,Missing,missing@x.example,",
  ].join("\n");
  const done = await contacts(text);
  assert.deepEqual(counts(done), [3, 0, 0, 2], done.program.stderr);
  const made = (await crm.records("contact"))
    .filter(({ name }) => String(name).startsWith("By"))
    .toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
  const r1 = (await accountOf("R1"))?.id;
  assert.deepEqual(
    made.map(({ name, accountId, ownerId }) => [name, accountId, ownerId]),
    [
      ["By externalId", r1, tenant.admin],
      ["By id", tenant.account, tenant.member],
      ["By name", tenant.account, tenant.member],
    ],
  );
  const other = (await accountOf("Ref one"))?.id;
  const [, ambiguous, unknown] = crm.read("contacts.csv.rejected.csv").split("\n");
  const inactive =
    'The user in ownerId is inactive. Choose an active user (GET /users?active=true) (column ""owner"").';
  assert.equal(
    ambiguous,
    `Ambiguous,Ref one,ina@tenant.test,none,5,"accountId: ""Ref one"" matches Ref one (${r1}), Ref two (${other}). Use the ID. email must be an email address, such as ana@example.com. ${inactive}",`,
  );
  assert.equal(
    unknown,
    `Unknown,Missing,missing@x.example,,6,"accountId: ""Missing"" doesn't match any account by id, name, externalId. ownerId: ""missing@x.example"" doesn't match any user by id, email, name.",`,
  );
});

test("rows name stages and related records, and can change a status", async () => {
  const sales =
    "name,account,contacts,stage,amount,currency,externalId,status\nSale,Acme,carla@acme.test,new,1200.50,EUR,O1,\n";
  const made = await crm.import(crm.write("sales.csv", sales), "opportunity");
  assert.deepEqual(counts(made), [1, 0, 0, 0], made.program.stderr);
  const [sale] = await crm.records("opportunity");
  assert.deepEqual(
    [sale?.stageId, sale?.contactIds, sale?.amount, sale?.accountId],
    [tenant.stage, [tenant.contact], 1200.5, tenant.account],
  );
  const won = crm.write("won.csv", "name,externalId,status\nSale,O1,won\n");
  assert.deepEqual(counts(await crm.import(won, "opportunity", "--upsert-by", "externalId")), [0, 1, 0, 0]);
  const tasks =
    "title,relatedTo.type,relatedTo.id,assignedTo,dueDate\nCall,opportunity,O1,max@tenant.test,2026-12-01T09:00:00+01:00\n";
  const called = await crm.import(crm.write("tasks.csv", tasks), "task");
  assert.deepEqual(counts(called), [1, 0, 0, 0], called.program.stderr);
  const [task] = await crm.records("task");
  assert.deepEqual(
    [task?.relatedTo, task?.assignedTo, task?.dueDate],
    [{ type: "opportunity", id: sale?.id }, tenant.member, Date.parse("2026-12-01T08:00:00Z")],
  );
});

test("import --upsert-by id updates records by their ID, and rejects an ID that no record has", async () => {
  const [task] = await crm.records("task");
  const unknown = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";
  const rows = [`${String(task?.id).toUpperCase()},Renamed`, `${unknown},New`, ",Missing"];
  const file = crm.write("by-id.csv", `id,title\n${rows.join("\n")}\n`);
  const done = await crm.import(file, "task", "--upsert-by", "id");
  assert.deepEqual(counts(done), [0, 1, 0, 2], done.program.stderr);
  assert.match(done.program.stderr, new RegExp(`line 3: id: no task has the ID ${unknown}\\.`));
  assert.match(
    done.program.stderr,
    /1 row: id is required, because it identifies the record to update\.\n {2}line 4\n/,
  );
  assert.equal((await crm.records("task")).find(({ id }) => id === task?.id)?.title, "Renamed");
});

test("notes name their record by kind and ID, or by a unique field, and their author by email address", async () => {
  const text = [
    "body,relatedTo.type,relatedTo.id,contact.email,account.name,author,occurredAt,externalId",
    '"Two\nlines",contact,carla@acme.test,,,max@tenant.test,2026-03-01T09:00:00+01:00,n1',
    "By email,,,CARLA@acme.test,,,,n2",
    `By name,,,,ACME,,,n3`,
    "Both,,,carla@acme.test,Acme,,,n4",
    "Missing,,,missing@acme.test,,,,n5",
    "Other,account,,carla@acme.test,,,,n6",
    "None,,,,,,,n7",
  ].join("\n");
  const file = crm.write("notes.csv", `${text}\n`);
  const done = await crm.import(file, "note");
  assert.deepEqual(counts(done), [3, 0, 0, 4], done.program.stderr);
  const contact = { type: "contact", id: tenant.contact };
  const notes = await crm.records("note");
  assert.deepEqual(
    notes.map(({ body, relatedTo, authorId }) => [body, relatedTo, authorId]),
    [
      ["Two\nlines", contact, tenant.member],
      ["By email", contact, null],
      ["By name", { type: "account", id: tenant.account }, null],
    ],
  );
  assert.equal(notes[0]?.occurredAt, Date.parse("2026-03-01T08:00:00Z"));
  const reasons = crm.read("notes.csv.rejected.csv");
  for (const reason of [
    "Only one of contact.email, account.name can have a value.",
    'contact.email: ""missing@acme.test"" doesn\'t match any contact by id, email, externalId.',
    "The account in relatedTo.id doesn't exist.",
    "relatedTo is required.",
  ])
    assert.ok(reasons.includes(reason), `${reason} in ${reasons}`);
  const exported = await crm.run("export", ["-", "--entity", "note", "--references", "name"]);
  const [header, ...lines] = exported.stdout.split("\n");
  assert.equal(header, "id,body,relatedTo.type,relatedTo.id,authorId,occurredAt,externalId,createdAt,updatedAt");
  const line = lines.find((each) => each.includes("By email")) ?? "";
  assert.ok(line.includes(",By email,contact,carla@acme.test,,"), line);
  const again = crm.write("again.csv", exported.stdout);
  assert.deepEqual(counts(await crm.import(again, "note", "--upsert-by", "id")), [0, 0, 4, 0]);
});
