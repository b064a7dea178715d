import assert from "node:assert/strict";
import { after, test } from "node:test";
import { serve } from "../../../lib/http/index.ts";
import { assertWorksBehind, startGateway } from "../../support/gateway.ts";
import { testCrm } from "../../support/harness.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { api } = await testCrm([one]);
const place = { host: "127.0.0.1", port: 0 };
const plain = await serve(api, place);
const trusting = await serve(api.app({ forwardedPrefix: true }), place);
after(async () => {
  await plain.close();
  await trusting.close();
  await api.close();
});

test("Location, Link, the description and the reference work behind a gateway that strips a prefix", async (t) => {
  for (const { url } of [plain, trusting]) await assertWorksBehind(await startGateway(t, url, "/crm/eu"), one.key);
});

async function serversAt(url: string, prefix?: string): Promise<readonly unknown[]> {
  const headers: Record<string, string> = prefix === undefined ? {} : { "x-forwarded-prefix": prefix };
  const response = await fetch(`${url}/integrations/v1/openapi.json`, { headers });
  const description = JSON.parse(await response.text());
  return [description.servers[0].url, description.paths["/api-key"].servers[0].url];
}

test("the description has the prefix of X-Forwarded-Prefix if a proxy is trusted", async () => {
  const relative = [".", ".."];
  assert.deepEqual(await serversAt(trusting.url, "/crm"), ["/crm/integrations/v1", "/crm/integrations"]);
  assert.deepEqual(await serversAt(trusting.url, "/eu/, /crm"), ["/eu/crm/integrations/v1", "/eu/crm/integrations"]);
  assert.deepEqual(await serversAt(trusting.url), relative);
  for (const invalid of ["//evil.example", "/a b", 'x"y', "https://evil.example", "/../x"])
    assert.deepEqual(await serversAt(trusting.url, invalid), relative, invalid);
  assert.deepEqual(await serversAt(plain.url, "/crm"), relative);
});
