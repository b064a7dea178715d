import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { decodeJwt } from "jose";
import { describedFetch } from "../../support/described.ts";
import { crmIntegrations, serveInProcess } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const data = join(folder, "crm");
const secret = join(data, "admin.secret");
const served = (await serveDemo({ after }, "--data", data)).greeting;
const tenant = served.keys[0]?.tenant ?? "";
const tenantName = "Fjordlys Coffee Equipment";
const admin = "ingrid.solberg@fjordlys.example";
const options = ["--data", data, "--tenant", tenant, "--user"];

function serveDemo(t: Parameters<typeof serveInProcess>[0], ...args: string[]): ReturnType<typeof serveInProcess> {
  return serveInProcess(t, "--fixtures", "demo", ...args);
}

/** Lists the API keys with this token. Returns the status of the response. */
async function statusOf(url: string, token: string): Promise<number> {
  const response = await describedFetch(`${url}/integrations/api-key`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await response.body?.cancel();
  return response.status;
}

async function tokenOf(user: string): Promise<string> {
  const { code, stdout, stderr } = await crmIntegrations("token", ...options, user);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  return stdout.trim();
}

test("token prints a token of 30 minutes that works while the server runs", async () => {
  const token = await tokenOf(admin);
  assert.equal(await statusOf(served.url, token), 200);
  const { iat = 0, exp, ...claims } = decodeJwt(token);
  const sub = "01943aa2-bd4a-7513-bffe-033db0871959";
  assert.deepEqual(claims, { tenantId: tenant, sub, iss: "crm-integrations", aud: "crm-integrations-admin" });
  assert.equal(exp, iat + 30 * 60);
});

test("token accepts --tenant, which is optional if there is one tenant", async () => {
  for (const named of [["--tenant", tenantName], []]) {
    const { code, stdout, stderr } = await crmIntegrations("token", "--data", data, ...named, "--user", admin);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.equal(decodeJwt(stdout.trim()).tenantId, tenant);
  }
});

test("token asks for --tenant if there are two, and accepts a name", async (t) => {
  const two = join(folder, "two");
  await serveDemo(t, "--data", two, "--fixtures", "second");
  const ambiguous = await crmIntegrations("token", "--data", two, "--user", admin);
  assert.deepEqual([ambiguous.code, ambiguous.stdout], [1, ""]);
  assert.match(ambiguous.stderr, /^crm-integrations: Select a tenant with --tenant ID\. Available tenants: .+; .+\n$/);
  const { stdout } = await crmIntegrations("token", "--data", two, "--tenant", tenantName, "--user", admin);
  assert.equal(decodeJwt(stdout.trim()).tenantId, tenant);
});

test("token accepts the email address and the tenant ID in any case", async () => {
  const { stdout } = await crmIntegrations(
    "token",
    "--data",
    data,
    "--tenant",
    tenant.toUpperCase(),
    "--user",
    admin.toUpperCase(),
  );
  assert.equal(await statusOf(served.url, stdout.trim()), 200);
});

const nowhere = join(folder, "nowhere");
const unknown = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";
const failures: readonly (readonly [what: string, args: readonly string[], message: string])[] = [
  [
    "an unknown user",
    [...options, "missing@fjordlys.example"],
    `No user with the email address missing@fjordlys.example in the tenant ${tenant}.`,
  ],
  [
    "an unknown tenant",
    ["--data", data, "--tenant", unknown, "--user", admin],
    `No tenant has the ID or name ${unknown}. Available tenants: ${tenant} ${tenantName}.`,
  ],
  [
    "a member",
    [...options, "mateus.carvalho@fjordlys.example"],
    "mateus.carvalho@fjordlys.example isn't an active admin of the tenant.",
  ],
  [
    "a user who is not active",
    [...options, "henrik.dahl@fjordlys.example"],
    "henrik.dahl@fjordlys.example isn't an active admin of the tenant.",
  ],
  [
    "a folder that is not there",
    ["--data", nowhere, "--tenant", tenant, "--user", admin],
    `No database at ${join(nowhere, "crm.db")}. Create one with init, or select another with --data or --database.`,
  ],
];
for (const [what, args, message] of failures) {
  test(`token fails in one line for ${what}`, async () => {
    assert.deepEqual(await crmIntegrations("token", ...args), {
      code: 1,
      stdout: "",
      stderr: `crm-integrations: ${message}\n`,
    });
  });
}

test("token doesn't create a missing data folder", () => {
  assert.ok(!existsSync(nowhere));
});

const misuses: readonly (readonly [args: readonly string[], message: string])[] = [
  [[], "token requires --user EMAIL."],
  [["--data", data, "--tenant", tenant], "token requires --user EMAIL."],
];
for (const [args, message] of misuses) {
  test(`token with only ${args.length / 2} options, ${args.at(-2) ?? "none"} the last, is a usage error`, async () => {
    const stderr = `crm-integrations: ${message}\nTry: crm-integrations token --help\n`;
    assert.deepEqual(await crmIntegrations("token", ...args), { code: 2, stdout: "", stderr });
  });
}

test("token with an unknown option or an extra argument is a usage error", async () => {
  for (const more of ["--admin", "now"]) {
    const { code, stdout, stderr } = await crmIntegrations("token", ...options, admin, more);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^crm-integrations: .+\nTry: crm-integrations token --help\n$/);
  }
});

test("the token secret has 32 bytes, is private to its owner and survives a restart", async (t) => {
  const again = join(folder, "again");
  const first = await serveDemo(t, "--data", again);
  const file = join(again, "admin.secret");
  const { mode, size } = statSync(file);
  assert.deepEqual([mode & 0o777, size, statSync(again).mode & 0o777], [0o600, 32, 0o700]);
  const bytes = readFileSync(file);
  const { stdout } = await crmIntegrations("token", "--data", again, "--tenant", tenant, "--user", admin);
  assert.equal((await first.stop()).code, 0);

  const second = (await serveDemo(t, "--data", again)).greeting;
  assert.deepEqual(readFileSync(file), bytes);
  assert.equal(await statusOf(second.url, stdout.trim()), 200);
  assert.equal(await statusOf(served.url, stdout.trim()), 401, "another folder has another secret");
  assert.notDeepEqual(readFileSync(secret), bytes);
});

test("serve --fixtures in memory rejects admin tokens", async (t) => {
  const inMemory = (await serveDemo(t)).greeting;
  assert.equal(await statusOf(inMemory.url, await tokenOf(admin)), 401);
});

test("token and serve report a truncated secret in one line that names the file", async () => {
  const cut = join(folder, "cut");
  mkdirSync(cut);
  writeFileSync(join(cut, "admin.secret"), "");
  for (const command of ["serve", "token"]) {
    const more =
      command === "serve" ? ["--fixtures", "demo", "--listen", "127.0.0.1:0"] : ["--tenant", tenant, "--user", admin];
    const { code, stderr } = await crmIntegrations(command, "--data", cut, ...more);
    assert.equal(code, 1);
    assert.match(stderr, /^crm-integrations: .*admin\.secret.*\n$/);
  }
});
