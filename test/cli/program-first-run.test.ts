import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { start } from "../support/program.ts";
import { crmIntegrations, serveInProcess } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

async function me(baseUrl: string, key: string): Promise<Response> {
  return fetch(`${baseUrl}/me`, { headers: { "x-api-key": key } });
}

test("a server on all addresses prints one that a browser can open", async (t) => {
  const { child, ended, waitForOutput } = start(t, "serve", "--listen", "0.0.0.0:0", "--data", join(folder, "all"));
  const banner = await waitForOutput(/Ctrl-C/);
  const [, baseUrl = ""] = /running at (http:\/\/localhost:\d+\S+) and listens on all addresses\n/.exec(banner) ?? [];
  assert.ok(banner.includes(` '${baseUrl}/tasks?limit=3'`), banner);
  assert.doesNotMatch(banner, /0\.0\.0\.0/);
  assert.equal((await me(baseUrl, "none")).status, 401);
  child.kill("SIGTERM");
  await ended;
});

test("the first start in an empty folder creates a tenant, shows its API key once and prints its paths", async (t) => {
  const data = join(folder, "first");
  const started = start(t, "serve", "--listen", "127.0.0.1:0", "--data", data);
  const banner = await started.waitForOutput(/Ctrl-C/);
  const [, baseUrl = "", key = ""] =
    /running at (\S+)\n.* \(new\)\n(?:.*\n)*? {2}API key {3}(crm_live_\w+)\n/.exec(banner) ?? [];
  assert.equal((await me(baseUrl, key)).status, 200, banner);
  assert.equal(statSync(data).mode & 0o777, 0o700);
  started.child.kill("SIGTERM");
  assert.equal((await started.ended).code, 0);

  const again = await serveInProcess(t, "--data", data);
  assert.deepEqual(again.greeting.keys, [], "a later run shows no key");
  assert.equal((await me(again.greeting.baseUrl, key)).status, 200);
});

test("serve creates no tenant if the port is taken, and the next start shows the API key", async (t) => {
  const data = join(folder, "taken");
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  t.after(() => taken.close());
  const { port } = taken.address() as { port: number };
  const failed = await crmIntegrations("serve", "--listen", `127.0.0.1:${port}`, "--data", data);
  assert.deepEqual([failed.code, failed.stdout], [1, ""]);
  const message = `Cannot listen on 127.0.0.1:${port}: address already in use. Choose another address with --listen.`;
  assert.equal(failed.stderr, `crm-integrations: ${message} Port 0 selects a free port.\n`);
  const { greeting } = await serveInProcess(t, "--data", data);
  const [shown] = greeting.keys;
  assert.equal((await me(greeting.baseUrl, shown?.key ?? "")).status, 200);
});

test("serve prints how to create an API key until one is used", async (t) => {
  const data = join(folder, "unused");
  const bannerOf = async (): Promise<string> => {
    const { child, waitForOutput, ended } = start(t, "serve", "--listen", "127.0.0.1:0", "--data", data);
    const banner = await waitForOutput(/Ctrl-C/);
    child.kill("SIGTERM");
    assert.equal((await ended).code, 0);
    return banner;
  };
  const hint = `no API key has been used yet. To create one: crm-integrations key create --data ${data}\n`;
  const first = await bannerOf();
  assert.match(first, /API key {3}crm_live_/);
  assert.ok(!first.includes(hint), first);
  const second = await bannerOf();
  assert.ok(second.includes(hint), second);
  const { stdout } = await crmIntegrations("key", "create", "--data", data);
  const { greeting, stop } = await serveInProcess(t, "--data", data);
  assert.equal((await me(greeting.baseUrl, stdout.split("\n")[0] ?? "")).status, 200);
  await stop();
  const last = await bannerOf();
  assert.ok(!last.includes(hint), last);
});

test("the first tenant has a pipeline, and its admin can get a token", async (t) => {
  const data = join(folder, "sells");
  const { greeting } = await serveInProcess(t, "--data", data);
  const [shown] = greeting.keys;
  assert.ok(shown !== undefined);
  const headers = { "x-api-key": shown.key, "content-type": "application/json" };
  const body = JSON.stringify({ name: "First order" });
  const made = await fetch(`${greeting.baseUrl}/opportunities`, { method: "POST", headers, body });
  assert.equal(made.status, 201, await made.text());
  const token = await crmIntegrations("token", "--data", data, "--tenant", shown.tenant, "--user", "admin@crm.local");
  const authorization = `Bearer ${token.stdout.trim()}`;
  const keys = await fetch(`${greeting.url}/integrations/api-key`, { headers: { authorization } });
  assert.equal(keys.status, 200, await keys.text());
});

test("init creates a tenant from its options, and a second one in the same database", async (t) => {
  const data = join(folder, "init");
  const init = (name: string) =>
    crmIntegrations(
      ...["init", "--data", data, "--tenant-name", name, "--admin-name", "Ana", "--json"],
      ...["--admin-email", `ana@${name}.example`],
    );
  const made = [await init("acme"), await init("other")].map(({ stdout, stderr }) => JSON.parse(stdout || stderr));
  assert.deepEqual(
    made.map(({ adminEmail, database }) => [adminEmail, database]),
    [
      ["ana@acme.example", join(data, "crm.db")],
      ["ana@other.example", join(data, "crm.db")],
    ],
  );
  const { greeting } = await serveInProcess(t, "--data", data);
  assert.deepEqual(greeting.keys, []);
  for (const { key, tenantId } of made) {
    const response = (await (await me(greeting.baseUrl, key)).json()) as { data: { tenantId: string } };
    assert.equal(response.data.tenantId, tenantId);
  }
});

test("init doesn't prompt without a terminal, and rejects an invalid email address", async () => {
  const incomplete = await crmIntegrations("init", "--data", join(folder, "none"), "--tenant-name", "Acme");
  assert.deepEqual([incomplete.code, incomplete.stdout], [2, ""]);
  assert.match(incomplete.stderr, /init requires --tenant-name, --admin-name and --admin-email/);
  const options = ["--data", join(folder, "none"), "--tenant-name", "Acme", "--admin-name", "Ana"];
  const wrong = await crmIntegrations("init", ...options, "--admin-email", "ana");
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /^crm-integrations: --admin-email must be an email address/);
});
