import assert from "node:assert/strict";
import { test } from "node:test";
import { tenantFolder } from "../../support/program.ts";
import { serveInProcess } from "../../support/run-program.ts";
import { testTenant } from "../../support/tenants.ts";

const { file } = tenantFolder(testTenant(1));

/** The statuses of failed authentications, of which one is accepted a minute and address. */
async function failures(t: Parameters<typeof serveInProcess>[0], proxies: string, forwarded: readonly string[]) {
  const { greeting } = await serveInProcess(t, "--fixtures", file, "--rate-limit", "5", "--proxies", proxies);
  const statuses: number[] = [];
  for (const addresses of forwarded) {
    const headers = { "x-api-key": "none", ...(addresses === "" ? {} : { "x-forwarded-for": addresses }) };
    statuses.push((await fetch(`${greeting.baseUrl}/me`, { headers })).status);
  }
  return statuses;
}

test("serve --proxies 1 limits clients by the address from the proxy, not by the one they send", async (t) => {
  const forwarded = ["192.0.2.1", "192.0.2.2", "198.51.100.9, 192.0.2.2", "192.0.2.3, 192.0.2.4", ""];
  assert.deepEqual(await failures(t, "1", forwarded), [401, 401, 429, 401, 401]);
});

test("serve --proxies 2 uses the second to last address, and without --proxies the header is ignored", async (t) => {
  const forwarded = ["192.0.2.1, 203.0.113.1", "192.0.2.2, 203.0.113.1", "198.51.100.9, 192.0.2.1, 203.0.113.1"];
  assert.deepEqual(await failures(t, "2", forwarded), [401, 401, 429]);
  assert.deepEqual(await failures(t, "0", forwarded), [401, 429, 429]);
});
