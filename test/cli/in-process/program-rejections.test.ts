import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { after, suite, test } from "node:test";
import { tenantFolder } from "../../support/program.ts";
import { crmIntegrations } from "../../support/run-program.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { path, file } = tenantFolder(one);
const garbage = "not a database, ".repeat(500);
mkdirSync(path("garbage"));
writeFileSync(path("garbage/crm.db"), garbage);
mkdirSync(path("empty"));
writeFileSync(path("empty/crm.db"), "");
writeFileSync(path("broken.json"), '{"tenant":');
writeFileSync(path("faulty.json"), JSON.stringify({ tenant: { id: one.id, nam: "x" }, tasks: [{ title: "" }] }));

const taken = createServer();
await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
const address = taken.address();
const takenPort = typeof address === "object" ? address?.port : undefined;
after(() => taken.close());

/** Arguments of the program, and the text that its error must contain. */
const wrongUse: readonly (readonly [what: string, args: readonly string[], named: string])[] = [
  ["an unknown command", ["server"], "server"],
  ["help for a command that is unknown", ["help", "sevre"], 'Unknown command "sevre" (did you mean "serve"?).'],
  ["help for an unknown command of a group", ["help", "key", "nope"], 'Unknown command "key nope".'],
  ["an unknown option", ["serve", "--port", "80"], "--port"],
  ["a word too many", ["serve", "now"], "now"],
  ["a tenant file without its option", ["serve", "big.json"], "--fixtures big.json"],
  ["an option without its value", ["serve", "--data"], "--data"],
  ["an address without a port", ["serve", "--listen", "localhost"], "--listen"],
  ["a port that is none", ["serve", "--listen", "127.0.0.1:65536"], "--listen"],
  ["a rate that is no whole number", ["serve", "--rate-limit", "0.5"], "--rate-limit"],
  ["a rate in words", ["serve", "--rate-limit", "many"], "--rate-limit"],
  ["a rate beyond what is sensible", ["serve", "--rate-limit", "10000001"], "--rate-limit"],
  ["two places for the records", ["serve", "--data", "x", "--database", "postgres://localhost/crm"], "--database"],
  ["an address of another database", ["serve", "--database", "mysql://localhost/crm"], "postgres://"],
  ["a word behind a command that takes none", ["openapi", "yaml"], "yaml"],
];

const failures: readonly (readonly [what: string, args: readonly string[], named: string])[] = [
  ["a tenant file that is missing", ["--fixtures", path("none.json")], path("none.json")],
  ["a folder in place of a tenant file", ["--fixtures", path("garbage")], path("garbage")],
  ["a tenant file that is not JSON", ["--fixtures", path("broken.json")], path("broken.json")],
  ["a file that is not a database", ["--data", path("garbage")], path("garbage/crm.db")],
  ["an empty file in place of a database", ["--data", path("empty")], path("empty/crm.db")],
  ["a file in place of the data folder", ["--data", file], file],
  [
    "a PostgreSQL that is not there",
    ["--database", "postgres://crm:secret@127.0.0.1:1/crm?sslmode=disable"],
    "Cannot use the database postgres://crm@127.0.0.1:1/crm",
  ],
  ["a port that is taken", ["--fixtures", file, "--listen", `127.0.0.1:${takenPort}`], String(takenPort)],
];

suite("the program doesn't start and reports the error", { concurrency: 2 }, () => {
  for (const [what, args, named] of wrongUse) {
    test(`${what}: exit code 2, one sentence and a pointer to the help`, async () => {
      const { code, stdout, stderr } = await crmIntegrations(...args);
      assert.deepEqual([code, stdout], [2, ""], stderr);
      assert.match(stderr, /^crm-integrations: .+\nTry: crm-integrations (?:[a-z]+ ){0,2}--help\n$/);
      assert.ok(stderr.includes(named), stderr);
    });
  }

  for (const [what, args, named] of failures) {
    test(`${what}: exit code 1 and one line that names it`, async () => {
      const { code, stdout, stderr } = await crmIntegrations("serve", "--listen", "127.0.0.1:0", ...args);
      assert.deepEqual([code, stdout], [1, ""], stderr);
      assert.match(stderr, /^crm-integrations: .+\n$/);
      assert.ok(stderr.includes(named), stderr);
    });
  }

  test("an invalid tenant file: exit code 1 and a line for each error", async () => {
    const { code, stdout, stderr } = await crmIntegrations("serve", "--fixtures", path("faulty.json"));
    assert.deepEqual([code, stdout], [1, ""]);
    const [first, ...faults] = stderr.trimEnd().split("\n");
    assert.ok(first?.startsWith(`crm-integrations: ${path("faulty.json")}: The tenant file has 3 errors`), stderr);
    assert.deepEqual(
      faults.map((line) => line.trim().split(":")[0]),
      ["/tenant/nam", "/tenant/name", "/tasks/0/title"],
    );
  });
});

test("the help fits on one screen and exits with 0", async () => {
  const help = new Map<string, string>();
  for (const args of [[], ["--help"], ["help"], ["serve", "--help"], ["help", "serve"]]) {
    const { code, stdout, stderr } = await crmIntegrations(...args);
    assert.deepEqual([code, stderr], [0, ""]);
    help.set(args.join(" "), stdout);
  }
  const { "": all = "", "serve --help": serve = "" } = Object.fromEntries(help);
  assert.deepEqual([help.get("--help"), help.get("help"), help.get("help serve")], [all, all, serve]);
  assert.match(
    all,
    /^Usage: crm-integrations (?:.*\n)* {2}serve (?:.*\n)*.*Exit codes: 0 success, 1 failure, 2 invalid usage\.\n$/,
  );
  assert.match(
    serve,
    /^Usage: crm-integrations serve (?:.*\n)*.*Each FILE is added to --fixtures\.\n(?:.*\n)*.*--fixtures <FILE\.\.\.>(?:.*\n)*Examples:\n {2}crm-integrations serve/,
  );
  const create = await crmIntegrations("help", "key", "create");
  assert.deepEqual(create, await crmIntegrations("key", "create", "--help"));
  assert.match(create.stdout, /^Usage: crm-integrations key create /);
  const group = await crmIntegrations("help", "key");
  assert.deepEqual([group.code, group.stderr], [0, ""]);
  assert.match(group.stdout, /^Usage: crm-integrations key (?:.*\n)* {2}rotate /);
  for (const text of help.values()) assert.ok(text.split("\n").length <= 60, text);
});
