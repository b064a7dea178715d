import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { programCommand } from "../support/program.ts";
import { crmIntegrations } from "../support/run-program.ts";
import { run } from "../support/serve-demo.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { edited, fixture, valueAt } from "../support/tenant-file-edit.ts";

const folder = temporaryFolder();
const demo = fixture("demo");
const tenantId = String(valueAt(demo, "/tenant/id"));
const name = "Fjordlys Coffee Equipment";
const program = programCommand.join(" ");
let folders = 0;

function newData(): string {
  return join(folder, `${++folders}`);
}

function write(file: string, content: unknown): string {
  fs.writeFileSync(join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
  return join(folder, file);
}

test("load creates the folder, loads files by name and path, and rejects or skips an existing tenant", async () => {
  const [data, path] = [newData(), write("demo.json", demo)];
  const loaded = `${path}: ${name} (${tenantId}) loaded.\nminimal: Minimal (0194343c-0001-7000-8000-000000000000) loaded.\n`;
  const first = await crmIntegrations("load", path, "minimal", "--data", data);
  assert.deepEqual([first.code, first.stdout], [0, loaded]);
  assert.match(first.stderr, /^(?:WARNING: These test keys are active: crm_test_.+\n)+$/);
  const before = fs.readFileSync(join(data, "crm.db"));
  const again = await crmIntegrations("load", path, "--data", data);
  const exists = `${path}: the tenant ${tenantId} (${name}) already exists. Nothing was changed. load creates tenants; it doesn't update them.\n`;
  assert.deepEqual(again, {
    code: 1,
    stdout: "",
    stderr: `${exists}crm-integrations: 1 of 1 tenants were not loaded.\n`,
  });
  const skipped = await crmIntegrations("load", path, "--data", data, "--skip-existing", "--json");
  const outcome = { file: path, outcome: "exists", tenantId, name };
  assert.deepEqual([skipped.code, JSON.parse(skipped.stdout), skipped.stderr], [0, [outcome], ""]);
  assert.ok(before.equals(fs.readFileSync(join(data, "crm.db"))));
});

test("load rejects a file over 512 KiB while a server uses the SQLite database", async () => {
  const data = newData();
  assert.equal((await crmIntegrations("load", "minimal", "--data", data)).code, 0);
  const tasks = Array.from({ length: 10 }, (_, index) => ({ title: `Long ${index}`, description: "x".repeat(60_000) }));
  const large = write("large.json", { tenant: { id: "0194343c-0009-7000-8000-000000000000", name: "Large" }, tasks });
  const server = sqliteStorage({ file: join(data, "crm.db") });
  const rejected = await crmIntegrations("load", large, "demo", "--data", data);
  assert.deepEqual([rejected.code, rejected.stdout], [1, `demo: ${name} (${tenantId}) loaded.\n`]);
  const problem = `${large} has 587 KiB, and a process such as a server uses ${join(data, "crm.db")}.`;
  assert.ok(
    rejected.stderr.startsWith(`${problem} Its writes would fail while more than 512 KiB are loaded. Stop the `),
  );
  assert.deepEqual(
    (await server.listTenants()).map((tenant) => tenant.name),
    [name, "Minimal"],
  );
  assert.equal((await crmIntegrations("load", large, "--data", data, "--dry-run")).code, 0);
  await server.close();
  assert.equal((await crmIntegrations("load", large, "--data", data)).code, 0);
});

test("load --dry-run reports every error of every file and creates no database", async () => {
  const data = newData();
  const titles = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`/tasks/${index}/title`, ""]));
  const faulty = write("faulty.json", edited(demo, titles));
  const broken = write("broken.json", '{"tenant":');
  const { code, stdout, stderr } = await crmIntegrations("load", "demo", faulty, broken, "--data", data, "--dry-run");
  assert.deepEqual([code, stdout], [1, `demo: ${name} (${tenantId}) is valid.\n`]);
  const lines = stderr.trimEnd().split("\n");
  assert.equal(lines[0], `${faulty}: The tenant file has 25 errors. Nothing was loaded.`);
  assert.equal(lines.filter((line) => /^ {2}\/tasks\/\d+\/title: /.test(line)).length, 25);
  assert.match(String(lines.at(-2)), new RegExp(`^${broken}: The file isn't valid JSON at line 1, column 11\\.`));
  assert.equal(lines.at(-1), "crm-integrations: 2 of 3 tenants were not loaded.");
  assert.equal(fs.existsSync(data), false);
});

test("load --dry-run reports existing tenants and API keys and leaves the database unchanged", async () => {
  const data = newData();
  assert.equal((await crmIntegrations("load", "demo", "--data", data)).code, 0);
  const before = fs.readFileSync(join(data, "crm.db"));
  const other = write("other.json", edited(demo, { "/tenant/id": "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11" }));
  const { code, stdout } = await crmIntegrations(
    "load",
    "demo",
    other,
    "second",
    "--data",
    data,
    "--dry-run",
    "--json",
  );
  const [first, second, third] = JSON.parse(stdout);
  assert.deepEqual([code, first.outcome, second.outcome, third.outcome], [1, "exists", "rejected", "valid"]);
  const message = "The database already contains this API key.";
  assert.deepEqual(
    second.errors,
    [0, 1, 2].map((at) => ({ path: `/integrations/${at}/keys/0/key`, code: "not_an_option", message })),
  );
  assert.ok(before.equals(fs.readFileSync(join(data, "crm.db"))));
});

test("load reports a missing file and loads the other files", async () => {
  const data = newData();
  const missing = join(folder, "none.json");
  const { code, stdout, stderr } = await crmIntegrations("load", missing, "minimal", "--data", data);
  assert.deepEqual([code, stdout.split(" ")[0]], [1, "minimal:"]);
  assert.deepEqual(
    stderr.split("\n").filter((line) => !line.startsWith("WARNING")),
    [
      `The tenant file ${missing} can't be read: no such file or directory.`,
      "crm-integrations: 1 of 2 tenants were not loaded.",
      "",
    ],
  );
});

test("dump writes the same bytes after its output is loaded into another database", async () => {
  const [one, two] = [newData(), newData()];
  assert.equal((await crmIntegrations("load", "demo", "second", "--data", one)).code, 0);
  const userName = "Made since";
  assert.equal((await crmIntegrations("key", "rotate", "--data", one, "--tenant", name)).code, 0);
  assert.equal(
    (
      await crmIntegrations(
        "user",
        "add",
        "--data",
        one,
        "--tenant",
        name,
        "--name",
        userName,
        "--email",
        "a@b.example",
      )
    ).code,
    0,
  );
  const first = join(folder, "first.json");
  const dumpCommand = `${program} dump --data ${one} --tenant ${tenantId}`;
  const piped = await run("bash", [
    "-o",
    "pipefail",
    "-c",
    `${dumpCommand} | tee ${first} | ${program} load - --data ${two}`,
  ]);
  assert.deepEqual(piped, { code: 0, stdout: `stdin: ${name} (${tenantId}) loaded.\n`, stderr: "" });
  const { code, stdout } = await crmIntegrations("dump", "--data", two);
  assert.deepEqual([code, stdout], [0, fs.readFileSync(first, "utf8")]);
  assert.ok(stdout.includes('"Made since"') && !stdout.includes("crm_test_Bpd6kU8B_wkwWcQx"));
});

test("dump --out creates a file with mode 0600, rejects an existing file and leaves none for an unknown tenant", async () => {
  const [data, out] = [newData(), join(folder, "out.json")];
  assert.equal((await crmIntegrations("load", "demo", "--data", data)).code, 0);
  const written = await crmIntegrations("dump", "--data", data, "--out", out);
  assert.match(written.stdout, /^Wrote .+out\.json \(\d+\.\d kB\)\.\n$/);
  assert.equal(fs.statSync(out).mode & 0o777, 0o600);
  const again = await crmIntegrations("dump", "--data", data, "--out", out);
  const stderr = `crm-integrations: ${out} already exists and isn't overwritten. Choose another name.\n`;
  assert.deepEqual(again, { code: 1, stdout: "", stderr });
  const unknown = await crmIntegrations(
    "dump",
    "--data",
    data,
    "--tenant",
    "Missing",
    "--out",
    join(folder, "no.json"),
  );
  assert.match(unknown.stderr, /^crm-integrations: No tenant has the ID or name Missing\. Available tenants: /);
  assert.deepEqual(
    fs.readdirSync(folder).filter((each) => /^out|^no/.test(each)),
    ["out.json"],
  );
});

test("dump exits with code 1 and reports incomplete output if its reader closes the pipe", async () => {
  const data = newData();
  const big = join(folder, "big.json");
  fs.writeFileSync(big, (await crmIntegrations("generate", "--accounts", "300")).stdout);
  assert.equal((await crmIntegrations("load", big, "--data", data)).code, 0);
  const { code, stderr } = await run("bash", [
    "-c",
    `${program} dump --data ${data} | head -c 10 > /dev/null; exit \${PIPESTATUS[0]}`,
  ]);
  const message = "Cannot write to stdout: EPIPE. The output is incomplete.";
  assert.deepEqual([code, stderr], [1, `crm-integrations: ${message}\n`]);
});

test("dump rejects a missing database and doesn't create it", async () => {
  const data = newData();
  const stderr = `crm-integrations: No database at ${join(data, "crm.db")}.\n`;
  assert.deepEqual(await crmIntegrations("dump", "--data", data), { code: 1, stdout: "", stderr });
  assert.equal(fs.existsSync(data), false);
});
