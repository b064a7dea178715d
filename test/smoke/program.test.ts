import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { type Greeting, serving, start, tenantFolder } from "../support/program.ts";
import { testTenant } from "../support/tenants.ts";

// The program as users start it, one test per common command. test/cli has the details.

const tenant = testTenant(1);
const { path, file } = tenantFolder(tenant);
const data = path("data");
const headers = { "x-api-key": tenant.key, "content-type": "application/json" };

test("version prints the version of package.json", async (t) => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  const { code, stdout } = await start(t, "version").ended;
  assert.equal(code, 0);
  assert.ok(stdout.startsWith(`crm-integrations ${version} `));
});

test("--help lists the commands", async (t) => {
  const { code, stdout } = await start(t, "--help").ended;
  assert.equal(code, 0);
  for (const name of ["serve", "init", "key", "import", "backup", "check"])
    assert.match(stdout, new RegExp(`^ +${name}\\b`, "m"));
});

test("an unknown option ends with exit code 2 and a suggestion", async (t) => {
  const { code, stderr } = await start(t, "serve", "--listn", "127.0.0.1:0").ended;
  assert.equal(code, 2);
  assert.match(stderr, /--listen/);
});

test("load creates a tenant, and a second load changes nothing", async (t) => {
  assert.equal((await start(t, "load", file, "--data", data).ended).code, 0);
  assert.equal((await start(t, "load", file, "--data", data).ended).code, 1);
});

test("serve responds to requests, and after a restart has the same records and replays a POST", async (t) => {
  const request = {
    method: "POST",
    headers: { ...headers, "idempotency-key": randomUUID() },
    body: '{"title":"Call Bea"}',
  };
  const post = ({ baseUrl }: Greeting) => fetch(`${baseUrl}/tasks`, request);
  const first = await serving(t, "--data", data);
  const created = await post(first.greeting);
  assert.equal(created.status, 201);
  first.child.kill("SIGTERM");
  assert.equal((await first.ended).code, 0);
  const second = await serving(t, "--data", data);
  const replayed = await post(second.greeting);
  assert.deepEqual([replayed.status, replayed.headers.get("idempotent-replayed")], [201, "true"]);
  assert.equal(await replayed.text(), await created.text());
  second.child.kill("SIGTERM");
  assert.equal((await second.ended).code, 0);
});

test("serve --fixtures demo prints the demo API keys, which work", async (t) => {
  const { greeting, child, ended } = await serving(t, "--fixtures", "demo");
  const [{ key } = { key: "" }] = greeting.keys;
  assert.equal((await fetch(`${greeting.baseUrl}/me`, { headers: { "x-api-key": key } })).status, 200);
  assert.equal((await fetch(`${greeting.url}/readyz`)).status, 200);
  child.kill("SIGTERM");
  assert.equal((await ended).code, 0);
});

test("import creates an account for each row of a CSV file", async (t) => {
  const csv = path("accounts.csv");
  writeFileSync(csv, "name\nNordlys Roasters\nFjord Logistics\n");
  const { code, stderr } = await start(t, "import", csv, "--entity", "account", "--data", data).ended;
  assert.deepEqual([code, stderr], [0, ""]);
  const dump = await start(t, "dump", "--data", data).ended;
  const names = (JSON.parse(dump.stdout) as { accounts: { name: string }[] }).accounts.map(({ name }) => name);
  assert.ok(names.includes("Nordlys Roasters") && names.includes("Fjord Logistics"));
});

test("restore brings back what backup copied", async (t) => {
  const copy = path("copy.db");
  assert.equal((await start(t, "backup", copy, "--data", data).ended).code, 0);
  const before = (await start(t, "dump", "--data", data).ended).stdout;
  assert.equal((await start(t, "tenant", "remove", tenant.id, "--yes", "--data", data).ended).code, 0);
  assert.equal((await start(t, "restore", copy, "--data", data).ended).code, 0);
  assert.deepEqual(JSON.parse((await start(t, "dump", "--data", data).ended).stdout), JSON.parse(before));
});

test("check finds nothing wrong", async (t) => {
  const { code, stdout } = await start(t, "check", "--full", "--data", data).ended;
  assert.equal(code, 0, stdout);
});

test("openapi prints the description", async (t) => {
  const { code, stdout } = await start(t, "openapi").ended;
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), JSON.parse(readFileSync("docs/openapi.json", "utf8")));
});
