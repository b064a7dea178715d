import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { programCommand } from "../../support/program.ts";
import { crmIntegrations, serveInProcess } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const data = join(temporaryFolder(), "crm");
const origin = "https://crm.example.com";

/** Signs in with a link that the program has printed. */
function signIn(url: string, link: string, from = url): Promise<Response> {
  const [, token] = link.trim().split("#token=");
  const headers = { origin: from, "content-type": "application/json" };
  return fetch(`${url}/console/session`, { method: "POST", headers, body: JSON.stringify({ token }) });
}

function me(url: string, response: Response): Promise<Response> {
  const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
  return fetch(`${url}/console/api/v1/me`, { headers: { cookie } });
}

test("console prints a link that signs in to the running server once, also after a restart", async (t) => {
  const { greeting, stop } = await serveInProcess(t, "--data", data);
  const { url } = greeting;
  const listen = url.replace("http://", "");
  const printed = await crmIntegrations("console", "--data", data, "--listen", listen);
  assert.deepEqual([printed.code, printed.stderr], [0, ""]);
  assert.match(printed.stdout, new RegExp(`^${url}/console/#token=[\\w-]+\n$`));
  const response = await signIn(url, printed.stdout);
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal((await me(url, response)).status, 200);
  await stop();

  const again = await serveInProcess(t, "--data", data);
  assert.equal((await signIn(again.greeting.url, printed.stdout)).status, 401);
  assert.equal((await me(again.greeting.url, response)).status, 200, "the session survives a restart");
});

test("serve --console-origin accepts requests of that origin only and sets a Secure cookie", async (t) => {
  const { greeting } = await serveInProcess(t, "--data", data, "--console-origin", origin);
  const options = ["--data", data, "--console-origin", origin, "--user", "admin@crm.local"];
  const { stdout } = await crmIntegrations("console", ...options);
  assert.ok(stdout.startsWith(`${origin}/console/#token=`), stdout);
  assert.equal((await signIn(greeting.url, stdout)).status, 403);
  const response = await signIn(greeting.url, stdout, origin);
  assert.match(response.headers.get("set-cookie") ?? "", /^__Host-crm_console=.*Secure$/);
  assert.equal((await me(greeting.url, response)).status, 200);
});

test("the sign-in page gets the command that prints a link of this server", async (t) => {
  const folder = join(temporaryFolder(), "Ana's data; $HOME");
  const { greeting } = await serveInProcess(t, "--data", folder);
  const { url } = greeting;
  const command = await signInCommand(url);
  assert.ok(command.endsWith(` --console-origin ${url}`), command);
  const program = programCommand.map((part) => (part.startsWith("bin/") ? resolve(part) : part)).join(" ");
  const line = command.replace(/^crm-integrations/, program);
  const printed = spawnSync("sh", ["-c", line], { encoding: "utf8" });
  assert.equal(printed.status, 0, printed.stderr);
  assert.equal((await signIn(url, printed.stdout)).status, 200);
});

test("the command names the origin of the browser and that there is a secret, which it doesn't contain", async (t) => {
  const secret = "s".repeat(32);
  const { greeting } = await serveInProcess(t, "--data", data, "--console-origin", origin, "--admin-secret", secret);
  const options = `--data ${data} --admin-secret SECRET --console-origin ${origin}`;
  assert.equal(await signInCommand(greeting.url), `crm-integrations console ${options}`);
});

test("a server in memory has no command, because only its start prints a link", async (t) => {
  const { greeting } = await serveInProcess(t, "--fixtures", "demo");
  assert.equal(await signInCommand(greeting.url), undefined);
});

async function signInCommand(url: string): Promise<string> {
  const response = await fetch(`${url}/console/session`);
  assert.equal(response.status, 401);
  const { error } = (await response.json()) as { error: { details?: { signInCommand: string } } };
  return error.details?.signInCommand as string;
}

test("serve --console off has no console", async (t) => {
  const { greeting } = await serveInProcess(t, "--data", data, "--console", "off");
  for (const path of ["/console/", "/console/session", "/console/api/v1/me"])
    assert.equal((await fetch(greeting.url + path)).status, 404);
});

test("a server with fixtures in memory has a console, whose sessions continue after a reset", async (t) => {
  const { url, signInLink } = (await serveInProcess(t, "--fixtures", "demo")).greeting;
  const session = `${url}/console/session`;
  const token = new URL(signInLink).hash.replace("#token=", "");
  const headers = { origin: url, "content-type": "application/json" };
  const opened = await fetch(session, { method: "POST", headers, body: JSON.stringify({ token }) });
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  const statusOf = async (sent: Record<string, string>) => (await fetch(session, { headers: sent })).status;
  assert.deepEqual([await statusOf({}), await statusOf({ cookie })], [401, 200]);
  const reset = () => fetch(`${url}/__fixtures/reset`, { method: "POST" });
  for (const { status } of await Promise.all([reset(), reset(), reset()])) assert.equal(status, 200);
  assert.deepEqual([await statusOf({}), await statusOf({ cookie })], [401, 200]);
});

test("console fails for users who aren't active admins and for invalid origins", async () => {
  await crmIntegrations("user", "add", "--data", data, "--name", "Max", "--email", "max@acme.example");
  for (const [user, message] of [
    ["max@acme.example", /isn't an active admin of the tenant/],
    ["none@acme.example", /No user with the email address none@acme.example/],
  ] as const) {
    const { code, stdout, stderr } = await crmIntegrations("console", "--data", data, "--user", user);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, message);
  }
  for (const text of ["crm.example.com", "https://crm.example.com/", "ftp://crm.example.com", "null"]) {
    const { code, stderr } = await crmIntegrations("console", "--data", data, "--console-origin", text);
    assert.equal(code, 2);
    assert.match(stderr, /--console-origin must be an origin, such as https:\/\/crm\.example\.com/);
  }
});

test("serve rejects an invalid --console-origin before it creates anything, with and without the console", async () => {
  const folder = join(temporaryFolder(), "none");
  for (const console of ["on", "off"]) {
    const args = ["--data", folder, "--listen", "127.0.0.1:0", "--console", console];
    const { code, stderr } = await crmIntegrations("serve", ...args, "--console-origin", "crm.example.com");
    assert.equal(code, 2);
    assert.match(stderr, /--console-origin must be an origin/);
    assert.equal(existsSync(folder), false);
  }
});
