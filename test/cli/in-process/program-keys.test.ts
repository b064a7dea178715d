import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { crmIntegrations, type Ended, serveInProcess } from "../../support/run-program.ts";
import { run } from "../../support/serve-demo.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const data = join(folder, "data");

async function program(...args: readonly string[]): Promise<Ended> {
  return crmIntegrations(...args, "--data", data);
}

const acme = ["--tenant-name", "Acme", "--admin-name", "Ana", "--admin-email", "ana@acme.example"];
const { stdout } = await program("init", ...acme, "--json");
const made = JSON.parse(stdout) as { tenantId: string; key: string };

async function integrations(): Promise<readonly string[]> {
  const file = JSON.parse((await program("dump")).stdout) as { integrations: { name: string }[] };
  return file.integrations.map(({ name }) => name);
}

async function statusOf(url: string, key: string): Promise<number> {
  return (await fetch(`${url}/me`, { headers: { "x-api-key": key } })).status;
}

test("key create, list, rotate and revoke apply at once to a running server", async (t) => {
  const { greeting } = await serveInProcess(t, "--data", data);
  const second = (await program("key", "create")).stdout.split("\n")[0] ?? "";
  assert.deepEqual([await statusOf(greeting.baseUrl, made.key), await statusOf(greeting.baseUrl, second)], [200, 200]);

  const third = await program("key", "create");
  assert.deepEqual([third.code, third.stdout], [1, ""]);
  assert.equal(
    third.stderr,
    "crm-integrations: The integration already has two active API keys. Revoke one with key revoke, or use key rotate.\n",
  );
  const rotated = JSON.parse((await program("key", "rotate", "--json")).stdout) as { key: string; maskedKey: string };
  assert.equal(await statusOf(greeting.baseUrl, made.key), 401);
  assert.equal(await statusOf(greeting.baseUrl, rotated.key), 200);

  const listed = JSON.parse((await program("key", "list", "--json")).stdout) as { status: string; maskedKey: string }[];
  assert.deepEqual(
    listed.map(({ status, maskedKey }) => [status, maskedKey]),
    [made.key, second, rotated.key].map((key, index) => [
      index === 0 ? "revoked" : "active",
      `${key.slice(0, 18)}****`,
    ]),
  );
  const { stdout: output } = await program("key", "revoke", rotated.maskedKey);
  assert.equal(output, `Revoked ${rotated.maskedKey} of Integration.\n`);
  assert.equal(await statusOf(greeting.baseUrl, rotated.key), 401);
});

test("key revoke accepts a whole key and never prints it, not even in errors", async () => {
  const { key } = JSON.parse((await program("key", "rotate", "--json")).stdout) as { key: string };
  const mask = `${key.slice(0, 18)}****`;
  const wrong = [
    await program("key", "revoke", key.replace(/_live_.{8}/, "_live_00000000")),
    await program("key", "revoke", `x-api-key:${key}`),
    await program("key", "revoke", key, key),
    await program("key", "list", key),
  ];
  for (const { code, stdout, stderr } of wrong) {
    assert.deepEqual([code, stdout], [2, ""]);
    assert.ok(!stderr.includes(key.slice(19, 30)), stderr);
  }
  const revoked = await program("key", "revoke", ` ${key}\n`);
  assert.deepEqual([revoked.stdout, revoked.stderr], [`Revoked ${mask} of Integration.\n`, ""]);
});

test("key create --integration creates the integration with its scopes", async (t) => {
  const { greeting } = await serveInProcess(t, "--data", data);
  const args = ["--integration", "Website", "--scopes", "contacts:write,contacts:read", "--json"];
  const { key } = JSON.parse((await program("key", "create", ...args)).stdout) as { key: string };
  const me = (await (await fetch(`${greeting.baseUrl}/me`, { headers: { "x-api-key": key } })).json()) as {
    data: { scopes: string[]; tenantId: string };
  };
  assert.deepEqual([me.data.tenantId, me.data.scopes], [made.tenantId, ["contacts:write", "contacts:read"]]);
  const invalid = await program("key", "create", "--integration", "Website", "--scopes", "contact:read");
  assert.equal(invalid.code, 1);
  assert.match(invalid.stderr, /^crm-integrations: --scopes must be one of: .*Did you mean "contacts:read"\?\n$/);
});

test("key create requires scopes for a new integration, and a rejected key creates none", async () => {
  const named = ["key", "create", "--integration", "Robot", "--json"];
  const rejected = [
    await program(...named),
    await program(...named, "--scopes", "tasks:read", "--expires", "2020-01-01T00:00:00Z"),
    await program(...named, "--scopes", "tasks:read", "--expires", "tomorrow"),
    await program(...named, "--scopes", "all"),
  ];
  assert.deepEqual(
    rejected.map(({ code }) => code),
    [1, 1, 1, 1],
  );
  assert.equal(
    rejected[0]?.stderr,
    'crm-integrations: --scopes is required: no integration is named "Robot", and a new one needs them.\n',
  );
  for (const { stderr } of rejected.slice(1, 3)) assert.match(stderr, /^crm-integrations: --expires must be /);
  assert.deepEqual(await integrations(), ["Integration", "Website"]);
  const robot = JSON.parse((await program(...named, "--scopes", "tasks:read")).stdout) as Record<string, unknown>;
  assert.deepEqual([robot.integrationName, robot.scopes], ["Robot", ["tasks:read"]]);
  assert.deepEqual(await integrations(), ["Integration", "Website", "Robot"]);
});

test("key create doesn't change the scopes of an integration", async () => {
  for (const integration of [[], ["--integration", "robot"]]) {
    const { code, stdout, stderr } = await program("key", "rotate", ...integration, "--scopes", "users:read");
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^crm-integrations: The integration "(?:Integration|Robot)" has other scopes: /);
  }
  const same = await program("key", "create", "--integration", "robot", "--scopes", "tasks:read", "--json");
  assert.deepEqual((JSON.parse(same.stdout) as { scopes: string[] }).scopes, ["tasks:read"]);
});

test("key create finds an integration by name among more than a page of them", async () => {
  const many = join(folder, "many");
  const file = join(folder, "many.json");
  const id = (index: number) => `0195abcd-0000-7000-9008-${String(index).padStart(12, "0")}`;
  const all = Array.from({ length: 201 }, (_, index) => ({ id: id(index), name: `System ${index}`, scopes: [] }));
  writeFileSync(file, JSON.stringify({ tenant: { id: made.tenantId, name: "Many" }, integrations: all }));
  assert.equal((await crmIntegrations("load", file, "--data", many)).code, 0);
  const { stdout } = await crmIntegrations("key", "create", "--integration", "System 200", "--json", "--data", many);
  const key = JSON.parse(stdout) as { integrationId: string; scopes: string[] };
  assert.deepEqual([key.integrationId, key.scopes], [id(200), []]);
});

test("user add, disable and enable change a user, and report invalid input", async () => {
  const add = (name: string, email: string, ...more: string[]) =>
    program("user", "add", "--name", name, "--email", email, ...more);
  assert.equal((await add("Bo", "bo@acme.example", "--role", "admin")).stdout, "Added bo@acme.example.\n");
  const wrong = [
    await add("Bo", "BO@acme.example"),
    await add(" ", "bo"),
    await program("user", "disable", "x@y.example"),
  ];
  assert.deepEqual(
    wrong.map(({ code, stderr }) => [code, stderr]),
    [
      [1, "crm-integrations: There is already a user with this email.\n"],
      [
        1,
        "crm-integrations: --name must not be empty.\n  --email must be an email address, such as ana@example.com.\n",
      ],
      [1, "crm-integrations: No user with the email address x@y.example.\n"],
    ],
  );
  await program("user", "disable", "bo@acme.example");
  const [, bo] = JSON.parse((await program("user", "list", "--json")).stdout) as { active: boolean; role: string }[];
  assert.deepEqual([bo?.active, bo?.role], [false, "admin"]);
  assert.equal((await program("user", "enable", "bo@acme.example")).stdout, "bo@acme.example is active.\n");
});

test("user disable rejects the last active admin, in any spelling of the address", async () => {
  const one = join(folder, "one-admin");
  const user = (...args: string[]) => crmIntegrations("user", ...args, "--data", one);
  assert.equal((await crmIntegrations("init", ...acme, "--data", one)).code, 0);
  await user("add", "--name", "Bo", "--email", "bo@acme.example");
  const says = "crm-integrations: The user is the tenant's last active admin. Add or enable another admin first.\n";
  for (const email of ["ana@acme.example", "ANA@acme.example"]) {
    const { code, stdout, stderr } = await user("disable", email);
    assert.deepEqual([code, stdout, stderr], [1, "", says]);
  }
  assert.equal((await user("disable", "bo@acme.example")).code, 0);
  await user("add", "--name", "Cy", "--email", "cy@acme.example", "--role", "admin");
  assert.equal((await user("disable", "ana@acme.example")).code, 0);
  assert.equal((await user("disable", "cy@acme.example")).code, 1);
  assert.equal((await user("disable", "ana@acme.example")).code, 0);
});

test("commands list the tenants if there are several and none is selected", async () => {
  const other = JSON.parse((await program("init", ...acme.with(1, "Other"), "--json")).stdout) as { tenantId: string };
  const { code, stderr } = await program("user", "list");
  assert.equal(code, 1);
  const list = `${made.tenantId} Acme; ${other.tenantId} Other.`;
  assert.equal(stderr, `crm-integrations: Select a tenant with --tenant ID. Available tenants: ${list}\n`);
  assert.equal((await program("user", "list", "--tenant", "Other", "--json")).code, 0);
  assert.match((await program("user", "list", "--tenant", "Third")).stderr, /No tenant has the ID or name Third\./);
});

test("a group without a command lists its commands; completion and service print valid files", async () => {
  const group = await crmIntegrations("key");
  assert.deepEqual([group.code, group.stdout], [2, ""]);
  assert.match(group.stderr, /create \[options\][^$]*Missing subcommand/);
  const { stdout: script } = await crmIntegrations("completion", "bash");
  const completion = "COMP_WORDS=(crm-integrations key ro); COMP_CWORD=2; _crm_integrations; echo $COMPREPLY";
  assert.equal((await run("bash", ["-c", `${script}\n${completion}`])).stdout, "rotate\n");
  assert.ok((await crmIntegrations("completion", "zsh")).stdout.endsWith(script));
  const { stdout: fish } = await crmIntegrations("completion", "fish");
  assert.ok(
    fish.includes('-n "__fish_seen_subcommand_from key; and __fish_seen_subcommand_from rotate" -l integration\n'),
  );
  assert.equal((await crmIntegrations("completion", "tcsh")).code, 2);
  assert.match(
    (await crmIntegrations("service", "--program", "/usr/bin/crm")).stdout,
    /^ExecStart=\/usr\/bin\/crm serve --data \/var\/lib\/crm-integrations/m,
  );
});
