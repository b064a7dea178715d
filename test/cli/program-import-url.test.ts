import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { messyCsv } from "../console/messy-csv.ts";
import { counts, importCrm, type Summary } from "../support/import-crm.ts";
import { programCommand, startCommand } from "../support/program.ts";
import { runProgram, serveInProcess } from "../support/run-program.ts";

type Crm = Awaited<ReturnType<typeof importCrm>>;

const columns = {
  ...{ name: "Firma", email: "E-Mail", phone: "Telefon", "address.city": "Ort", description: "Notiz" },
  ...{ since: "Kunde seit", budget: "Kreditrahmen", size: "Standorte", segment: "Segment" },
};
const maps = Object.entries(columns).flatMap(([field, column]) => ["--map", `${field}=${column}`]);
const german = ["--decimal", ",", "--date-format", "DD.MM.YYYY", "--trim"];

/** Returns a function that imports into a server of the tenant, with the URL and the API key only. */
async function remoteImport(t: TestContext, crm: Crm) {
  const { greeting } = await serveInProcess(t, "--data", crm.data, "--rate-limit", "0");
  const env = { ...process.env, CRM_API_KEY: crm.tenant.key };
  return async (file: string, entity: string, ...more: readonly string[]) => {
    const args = ["import", file, "--entity", entity, "--url", greeting.url, "--json", ...more];
    const { code, stdout, stderr } = await runProgram(args, { env });
    assert.notEqual(stdout, "", stderr);
    return { code, stderr, ...(JSON.parse(stdout) as Summary) };
  };
}

test("a messy file gives the same records and the same rejected rows in process and over HTTP", async (t) => {
  const [here, there] = [await importCrm(), await importCrm()];
  const importThere = await remoteImport(t, there);
  const accounts = messyCsv({ rows: 400 });
  const contacts = Array.from({ length: 300 }, (_, row) => {
    return `Contact ${row},c${row % 290}@x.example,${row % 7 === 0 ? "Missing" : "acme"},INA@tenant.test`;
  });
  const files = [
    { entity: "account", text: accounts, options: [...maps, ...german] },
    { entity: "account", text: accounts, options: [...maps, ...german, "--upsert-by", "name"] },
    { entity: "account", text: accounts, options: [...maps, ...german, "--drop-invalid", "email", "--restart"] },
    {
      entity: "contact",
      text: `name,email,account,owner\n${contacts.join("\n")}\n`,
      options: ["--drop-invalid", "owner"],
    },
    {
      entity: "contact",
      text: `name,email,account\n${contacts.join("\n").replaceAll(/,INA.*/g, "")}\n`,
      options: ["--upsert-by", "email"],
    },
  ] as const;
  for (const [index, { entity, text, options }] of files.entries()) {
    const name = `${index}.csv`;
    const one = await here.import(here.write(name, text), entity, ...options);
    const other = await importThere(there.write(name, text), entity, ...options);
    assert.deepEqual(counts(other), counts(one), other.stderr);
    const rejected = (crm: Crm) => crm.read(`${name}.rejected.csv`).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
    assert.equal(rejected(there), rejected(here));
    assert.ok(one.created > 0 || one.updated > 0, name);
  }
  for (const entity of ["account", "contact"]) {
    const fields =
      "name,email,phone,externalId,ownerId," +
      (entity === "account" ? "address.city,description,since,budget,size,segment" : "accountId");
    const exported = async (crm: Crm) => {
      const { stdout } = await crm.run("export", ["--entity", entity, "--fields", fields, "--references", "name"]);
      // The records of one batch have the same updatedAt. Their order is that of their IDs.
      return stdout
        .split(/(?<=\n)(?=(?:[^"]*"[^"]*")*[^"]*$)/)
        .toSorted()
        .join("");
    };
    assert.equal(await exported(there), await exported(here));
  }
});

test("import --url resumes after an interruption, and a repeated import creates nothing", async (t) => {
  const crm = await importCrm();
  const importThere = await remoteImport(t, crm);
  const names = Array.from({ length: 2_000 }, (_, row) => `P${row}`);
  const file = crm.write("people.csv", `name,externalId\n${names.map((name) => `${name},${name}\n`).join("")}`);
  const { greeting } = await serveInProcess(t, "--data", crm.data, "--rate-limit", "0");
  const environment = { ...process.env, CRM_API_KEY: crm.tenant.key };
  const command = [...programCommand, "import", file, "--entity", "contact", "--url", greeting.url];
  const killed = startCommand(t, command, { env: environment });
  const progress = "people.csv.progress.json";
  while (!crm.has(progress) || JSON.parse(crm.read(progress)).rows === 0) await pause(1);
  killed.child.kill("SIGKILL");
  await killed.ended;
  const resumed = await importThere(file, "contact");
  assert.match(resumed.stderr, /^Resuming after row \d+\.$/m);
  assert.deepEqual([counts(resumed), resumed.code], [[2_000, 0, 0, 0], 0]);
  const again = await importThere(file, "contact");
  assert.deepEqual(counts(again), [0, 0, 2_000, 0], again.stderr);
  const stored = (await crm.records("contact")).map(({ name }) => name);
  assert.deepEqual(stored.toSorted(), names.toSorted());
});

test("import --url --dry-run reports duplicates of earlier batches, and writes nothing", async (t) => {
  const crm = await importCrm();
  const importThere = await remoteImport(t, crm);
  const names = Array.from({ length: 150 }, (_, row) => `P${row}`);
  const text = `name\n${[...names, "p\u200b7", "ACME"].join("\n")}\n`;
  const dry = await importThere(crm.write("dry.csv", text), "account", "--dry-run");
  assert.deepEqual(counts(dry), [150, 0, 0, 2]);
  assert.match(dry.stderr, /^1 row: Another line of the file has the same name\.\n {2}line 152: Line 9 of the file/m);
  assert.deepEqual(await crm.records("account"), []);
});

test("import --url explains a wrong URL, a missing key and a key without the scope", async (t) => {
  const crm = await importCrm();
  const file = crm.write("a.csv", "name\nA\n");
  const { greeting } = await serveInProcess(t, "--data", crm.data);
  const run = (url: string, key?: string) => {
    const { CRM_API_KEY: _, ...environment } = process.env;
    const env = key === undefined ? environment : { ...environment, CRM_API_KEY: key };
    return runProgram(["import", file, "--entity", "account", "--url", url], { env });
  };
  const missing = await run(greeting.url);
  assert.deepEqual([missing.code, missing.stdout], [2, ""]);
  assert.match(missing.stderr, /--url requires an API key\. Set CRM_API_KEY\./);
  const both = await crm.run("import", [file, "--entity", "account", "--url", greeting.url]);
  assert.match(both.stderr, /--data and --url are set\. Set only one of them\./);
  assert.match((await run("ftp://x.example", "key")).stderr, /--url must be an http or https URL, such as .*ftp:/);
  const unknown = await run(greeting.url, "crm_live_unknown");
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /^crm-integrations: http:.*API key/m);
  assert.doesNotMatch(unknown.stderr, /\n\s+at /);
  assert.deepEqual(await crm.records("account"), []);
});
