import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Ended, runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const home = process.cwd();
process.chdir(folder);
after(() => process.chdir(home));

/** Runs the program in the folder of this test, with these variables only. */
function run(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return runProgram(args, { env: variables });
}

function write(name: string, text: string, mode = 0o600): string {
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), mode);
  return name;
}

test("settings come from the flag, the variable, the secret file, crm.json and the default, in this order", async () => {
  const secret = "s".repeat(40);
  const file = {
    listen: "127.0.0.1:1",
    rateLimit: 1,
    drainSeconds: 1,
    adminSecret: "j".repeat(40),
    fixtures: ["demo"],
  };
  write("crm.json", JSON.stringify(file));
  write("secret", `${secret}\n`);
  const variables = {
    CRM_LISTEN: "127.0.0.1:2",
    CRM_RATE_LIMIT: "2",
    CRM_ADMIN_SECRET_FILE: "secret",
    CRM_JSON: "yes",
  };
  const { code, stdout, stderr } = await run(["config", "--json", "--listen", "127.0.0.1:3"], variables);
  assert.deepEqual([code, stderr], [0, ""]);
  const shown = JSON.parse(stdout);
  assert.deepEqual(
    ["listen", "rateLimit", "drainSeconds", "maxInFlight", "adminSecret", "fixtures", "data"].map(
      (name) => shown[name],
    ),
    [
      { value: "127.0.0.1:3", origin: "--listen" },
      { value: 2, origin: "CRM_RATE_LIMIT" },
      { value: 1, origin: "crm.json" },
      { value: 2000, origin: "default" },
      { value: "****", origin: "CRM_ADMIN_SECRET_FILE (secret)" },
      { value: ["demo"], origin: "crm.json" },
      { value: null, origin: "default" },
    ],
  );
  assert.ok(!stdout.includes(secret));
});

const locations: readonly (readonly [what: string, args: readonly string[], data: unknown, backupDir: unknown])[] = [
  ["there are no options", [], "crm-data", "crm-data/backups"],
  ["a folder is named", ["--data", "here"], "here", "here/backups"],
  ["backups go elsewhere", ["--backup-dir", "there"], "crm-data", "there"],
  ["the records are in PostgreSQL", ["--database", "postgres://localhost/crm"], null, null],
  ["they are in memory", ["--fixtures", "demo"], null, null],
];
for (const [what, args, data, backupDir] of locations) {
  test(`config shows the effective folders if ${what}`, async () => {
    write("crm.json", "{}");
    const shown = JSON.parse((await run(["config", "--json", ...args])).stdout);
    assert.deepEqual([shown.data.value, shown.backupDir.value], [data, backupDir]);
  });
}

const wrong: readonly (readonly [what: string, json: string, variables: Record<string, string>, says: string])[] = [
  ["a setting that does not exist", '{"lisen":"x"}', {}, "crm.json has unknown settings: lisen. Known settings:"],
  ["a list where one value belongs", '{"listen":["x"]}', {}, "listen in crm.json must be one value."],
  ["a number that is none", '{"rateLimit":"many"}', {}, "rateLimit in crm.json must be an integer from 0 to 10000000."],
  ["a variable that is no number", "{}", { CRM_RATE_LIMIT: "-1" }, "CRM_RATE_LIMIT must be an integer from 0 to"],
  ["a variable that is no switch", "{}", { CRM_JSON: "maybe" }, "CRM_JSON must be true or false."],
  [
    "a setting that is set twice",
    '{"data":"a","listen":":1","\\u0064ata":"b"}',
    {},
    'crm.json has the key "data" twice in one object.',
  ],
  ["a word that is empty", '{"data":""}', {}, "data in crm.json must not be empty."],
  ["a configuration that is a list", "[]", {}, "The configuration file crm.json must contain one JSON object."],
];
for (const [what, json, variables, says] of wrong) {
  test(`${what} is a usage error that names its source`, async () => {
    write("crm.json", json);
    const { code, stdout, stderr } = await run(["config"], variables);
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.ok(stderr.startsWith(`crm-integrations: ${says}`), stderr);
  });
}

test("an empty flag is a usage error; an empty variable is ignored", async () => {
  write("crm.json", "{}");
  const flag = await run(["config", "--data", ""]);
  assert.deepEqual([flag.code, flag.stderr.split("\n")[0]], [2, "crm-integrations: --data must not be empty."]);
  const variables = {
    CRM_CONFIG: "",
    CRM_ADMIN_SECRET_FILE: "",
    CRM_DATABASE_FILE: "",
    CRM_DATA: "",
    CRM_FIXTURES: "",
  };
  const { stdout, stderr } = await run(["config", "--json"], variables);
  assert.equal(stderr, "");
  const shown = JSON.parse(stdout);
  for (const name of ["adminSecret", "database", "data", "fixtures"]) assert.equal(shown[name].origin, "default");
});

test("crm.json can start with a byte order mark and have the name of a setting as a value", async () => {
  write("crm.json", '\uFEFF{"data":"listen","adminIssuer":"\\"data\\":","fixtures":["data"]}');
  const { code, stdout } = await run(["config", "--json"]);
  assert.deepEqual([code, JSON.parse(stdout).data.value], [0, "listen"]);
});

test("a secret file that others can read is rejected, a private one is accepted", async () => {
  write("crm.json", "{}");
  write("open", "s".repeat(40), 0o640);
  const opened = await run(["config"], { CRM_ADMIN_SECRET_FILE: "open" });
  assert.deepEqual(opened, {
    code: 1,
    stdout: "",
    stderr: "crm-integrations: open contains a secret and other users can access it (mode 640). Run: chmod 600 open\n",
  });
  write("crm.json", JSON.stringify({ adminSecret: "s".repeat(40) }), 0o644);
  assert.equal((await run(["config"])).code, 1);
  write("crm.json", JSON.stringify({ adminSecret: "s".repeat(40) }), 0o600);
  assert.equal((await run(["config"])).code, 0);
});

test("a missing configuration or secret file is reported in one line", async () => {
  const missing = await run(["config", "--config", "none.json"]);
  assert.deepEqual(
    missing.stderr,
    "crm-integrations: Cannot read the configuration file none.json: no such file or directory.\n",
  );
  const secret = await run(["config"], { CRM_ADMIN_SECRET_FILE: "none" });
  assert.deepEqual(secret.stderr, "crm-integrations: Cannot read the secret file none: no such file or directory.\n");
});

test("a warning names each variable that begins with CRM_ and is of no setting, and the closest one", async () => {
  write("crm.json", "{}");
  const known = { CRM_LISTEN: ":1", CRM_API_KEY: "key", CRM_DATABASE_FILE: "", XCRM_DATABSE: "x" };
  const ofService = {
    CRM_SERVICE_HOST: "10.0.0.1",
    CRM_WEB_SERVICE_PORT_HTTP: "80",
    CRM_PORT: "tcp://10.0.0.1:80",
    CRM_PORT_80_TCP_ADDR: "10.0.0.1",
  };
  const allKnown = await run(["config", "--json"], { ...known, ...ofService });
  assert.deepEqual([allKnown.code, allKnown.stderr], [0, ""]);
  const unknown = { CRM_DATABSE: "x", CRM_ADMIN_SECERT_FILE: "", CRM_PORT: "80", CRM_DATA_FILE: "x" };
  const warned = await run(["config", "--json"], { ...known, ...unknown });
  assert.deepEqual(
    [warned.code, warned.stderr.trimEnd().split("\n")],
    [
      0,
      [
        'crm-integrations: CRM_DATABSE is not a setting (did you mean "CRM_DATABASE"?).',
        'crm-integrations: CRM_ADMIN_SECERT_FILE is not a setting (did you mean "CRM_ADMIN_SECRET_FILE"?).',
        "crm-integrations: CRM_PORT is not a setting.",
        "crm-integrations: CRM_DATA_FILE is not a setting.",
      ],
    ],
  );
  assert.equal(warned.stdout, allKnown.stdout);
  const failed = await run(["config", "--data", ""], { CRM_DATABSE: "x" });
  assert.match(failed.stderr, /^crm-integrations: CRM_DATABSE is not a setting.*\n.* --data must not be empty\.\n/);
});
