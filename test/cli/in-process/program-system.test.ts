import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { SystemStatus } from "../../../lib/index.ts";
import { crmIntegrations, serveInProcess } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const data = join(temporaryFolder(), "crm");

/** Signs in to the console and returns a function that calls the API as the admin. */
async function signIn(url: string) {
  const { stdout } = await crmIntegrations("console", "--data", data, "--listen", url.replace("http://", ""));
  const [, token] = stdout.trim().split("#token=");
  const headers = { origin: url, "content-type": "application/json" };
  const session = await fetch(`${url}/console/session`, { method: "POST", headers, body: JSON.stringify({ token }) });
  const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
  return async (method: string, path: string) => {
    const response = await fetch(`${url}/console/api${path}`, { method, headers: { origin: url, cookie } });
    return { status: response.status, data: ((await response.json()) as { data: SystemStatus }).data };
  };
}

test("an admin of the only tenant sees the database and makes a backup, and of several tenants only the requests", {
  timeout: 60_000,
}, async (t) => {
  const { greeting } = await serveInProcess(t, "--data", data);
  const call = await signIn(greeting.url);
  await call("GET", "/v1/accounts?limit=nonsense");
  const before = (await call("GET", "/admin/system")).data;
  assert.ok((before.database?.bytes ?? 0) > 0);
  assert.deepEqual(before.problems, []);
  assert.deepEqual(before.backups, { isRunning: false, lastAt: null, lastBytes: null, error: null, errorCode: null });
  const [counts] = before.requests;
  assert.ok(counts !== undefined && counts.count >= 1 && counts.clientErrors >= 1, JSON.stringify(before.requests));

  assert.equal((await call("POST", "/admin/backups")).status, 200);
  let after: SystemStatus;
  do {
    await wait(50);
    after = (await call("GET", "/admin/system")).data;
  } while (after.backups?.isRunning);
  assert.equal(after.backups?.error, null);
  const [backup, ...more] = readdirSync(join(data, "backups"));
  assert.match(backup ?? "", /^requested-.*\.db$/);
  assert.deepEqual(more, []);
  assert.ok((after.backups?.lastBytes ?? 0) > 0);

  const created = await crmIntegrations(
    ...["tenant", "create", "--data", data, "--tenant-name", "Other"],
    ...["--admin-name", "Ana", "--admin-email", "ana@other.example"],
  );
  assert.equal(created.code, 0, created.stderr);
  const shared = (await call("GET", "/admin/system")).data;
  assert.deepEqual([shared.database, shared.backups], [null, null]);
  assert.ok(shared.requests.length > 0);
  assert.equal((await call("POST", "/admin/backups")).status, 404);
  // The database still has its records.
  assert.equal((await crmIntegrations("tenant", "archive", "Other", "--data", data)).code, 0);
  assert.equal((await call("GET", "/admin/system")).data.database, null);
});
