import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { freshAddress } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";
import { start, tenantFolder } from "../support/program.ts";
import { crmIntegrations, serveInProcess } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { testTenant } from "../support/tenants.ts";

const folder = temporaryFolder();
const demo = { id: "01943aa0-bc00-7f06-b989-aece882520fc", key: "crm_test_Bpd6kU8B_****" };
const init = ["init", "--tenant-name", "Acme", "--admin-name", "Ana", "--admin-email", "ana@acme.example"];

type Line = { readonly level: string; readonly message: string };

/** The warnings that serve logs at its start, and its banner. */
async function starting(
  t: TestContext,
  ...args: string[]
): Promise<{ readonly warnings: readonly string[]; readonly banner: string }> {
  const { child, waitForOutput, ended } = start(t, "serve", ...args);
  const banner = await waitForOutput(/Ctrl-C/);
  child.kill("SIGTERM");
  const { stderr } = await ended;
  const lines = stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  // A test that runs as root gets a warning of that.
  const warnings = lines.filter(({ level, message }) => level === "warn" && !message.startsWith("running as root"));
  return { warnings: warnings.map(({ message }) => message), banner };
}

const anyPort = ["--listen", "127.0.0.1:0"];

suite("a test key in stored data", { concurrency: 2, timeout: 120_000 }, () => {
  test("makes load, serve and check warn until it is revoked", async (t) => {
    const data = join(folder, "warned");
    const storageArgs = ["--data", data];
    const loaded = await crmIntegrations("load", "demo", ...storageArgs);
    assert.equal(loaded.code, 0);
    assert.match(
      loaded.stderr,
      /^WARNING: These test keys are active: crm_test_Bpd6kU8B_\*{4}, .*public.*tenant remove 0/,
    );
    assert.ok(loaded.stderr.endsWith(`tenant remove ${demo.id} --data ${data}\n`), loaded.stderr);
    const { warnings, banner } = await starting(t, ...anyPort, ...storageArgs);
    const keys = JSON.parse((await crmIntegrations("key", "list", "--json", ...storageArgs)).stdout) as Listed[];
    const active = keys.filter(({ status }) => status === "active");
    assert.equal(warnings.length, active.length);
    for (const { maskedKey, integrationName } of active) {
      const message = warnings.find((each) => each.includes(maskedKey)) ?? "";
      assert.ok(
        message.startsWith(
          `The test key ${maskedKey} (tenant Fjordlys Coffee Equipment, integration ${integrationName}) is active. `,
        ),
        message,
      );
      const revoke = `crm-integrations key revoke '${maskedKey}' --data ${data} --tenant ${demo.id}`;
      assert.ok(message.endsWith(` To revoke it: ${revoke}`), message);
    }
    assert.match(banner, /WARNING {3}test keys are active; .*crm-integrations check\n/);
    assert.deepEqual(
      await testKeyFindings(...storageArgs),
      warnings.map((message) => ["warning", message]),
    );

    for (const { maskedKey } of active) {
      assert.equal((await crmIntegrations("key", "revoke", maskedKey, ...storageArgs)).code, 0);
    }
    const quiet = await starting(t, ...anyPort, ...storageArgs);
    assert.deepEqual([quiet.warnings, quiet.banner.includes("WARNING")], [[], false]);
    assert.deepEqual(await testKeyFindings(...storageArgs), [["ok", "none active"]]);
  });

  test("makes serve --fixtures warn that loads it, but not in memory", async (t) => {
    const stored = await starting(t, ...anyPort, "--data", join(folder, "stored"), "--fixtures", "demo");
    assert.ok(
      stored.warnings.some((message) => message.includes(demo.key)),
      stored.warnings.join("\n"),
    );
    assert.match(stored.banner, /WARNING/);
    const inMemory = await starting(t, ...anyPort, "--fixtures", "demo");
    assert.deepEqual([inMemory.warnings, inMemory.banner.includes("WARNING")], [[], false]);
  });

  test("makes check warn on PostgreSQL, which check doesn't migrate", { skip: noPostgres }, async () => {
    const storageArgs = ["--database", await freshAddress()];
    assert.deepEqual(await testKeyFindings(...storageArgs), []);
    assert.equal((await crmIntegrations("load", "demo", ...storageArgs)).code, 0);
    const found = await testKeyFindings(...storageArgs);
    assert.ok(
      found.some(([state, message]) => state === "warning" && message?.includes(demo.key)),
      String(found),
    );
  });
});

suite("serve --fixtures", { concurrency: 2, timeout: 120_000 }, () => {
  test("rejects a database with another tenant unless --into-existing is given", async (t) => {
    const data = join(folder, "other");
    assert.equal((await crmIntegrations(...init, "--data", data)).code, 0);
    const { code, stdout, stderr } = await crmIntegrations("serve", ...anyPort, "--data", data, "--fixtures", "demo");
    assert.deepEqual([code, stdout], [1, ""]);
    const reason = `--fixtures loads test tenants, but ${join(data, "crm.db")} already has the tenant Acme.`;
    const way = "Choose another --data folder, or add --into-existing to load them anyway.";
    assert.equal(stderr, `crm-integrations: ${reason} ${way}\n`);
    const { greeting } = await serveInProcess(t, "--data", data, "--fixtures", "demo", "--into-existing");
    assert.deepEqual([...new Set(greeting.keys.map(({ tenant }) => tenant))], [demo.id]);
  });

  test("starts again on its own tenants, whichever of them were loaded before", async (t) => {
    const args = ["--data", join(folder, "own"), "--fixtures", "demo"];
    const first = await serveInProcess(t, ...args);
    assert.equal((await first.stop()).code, 0);
    const second = await serveInProcess(t, ...args, "--fixtures", "two-tenants");
    assert.equal((await second.stop()).code, 0);
  });
});

test("serve warns of a data folder and a database file that others can access", async (t) => {
  const { file, path } = tenantFolder(testTenant(1), t);
  const data = path("open");
  assert.equal((await crmIntegrations("load", file, "--data", data)).code, 0);
  chmodSync(data, 0o750);
  chmodSync(join(data, "crm.db"), 0o666);
  const { warnings } = await starting(t, ...anyPort, "--data", data);
  const expected = [
    `The group can access ${data} (mode 750). Run: chmod 700 ${data}`,
    `All users can access ${join(data, "crm.db")} (mode 666). Run: chmod 600 ${join(data, "crm.db")}`,
  ];
  assert.deepEqual(warnings.filter((message) => message.includes("chmod")).slice(0, 2), expected);
});

type Listed = { readonly maskedKey: string; readonly integrationName: string; readonly status: string };
type Finding = { readonly name: string; readonly state: string; readonly message: string };

async function testKeyFindings(...storageArgs: string[]): Promise<readonly (readonly [string, string])[]> {
  const { stdout } = await crmIntegrations("check", "--json", ...storageArgs);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return findings.filter(({ name }) => name === "test keys").map(({ state, message }) => [state, message] as const);
}
