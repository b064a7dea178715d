import assert from "node:assert/strict";
import { test } from "node:test";
import { version } from "../../../bin/cli/version.ts";
import { tenantFolder } from "../../support/program.ts";
import { serveInProcess } from "../../support/run-program.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { file, path } = tenantFolder(one);
const key = { "x-api-key": one.key };

test("GET / shows the name, the version and links that work, and /favicon.ico is an icon", async (t) => {
  // Whether the documentation is built in depends on what was built before.
  const { greeting } = await serveInProcess(t, "--fixtures", file, "--docs", "off");
  const page = await fetch(`${greeting.url}/`);
  const html = await page.text();
  assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=UTF-8"]);
  assert.ok(html.includes(`<h1>crm-integrations ${version}</h1>`));
  assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, link = ""]) => new URL(link, page.url));
  assert.deepEqual(
    links.map(({ pathname }) => pathname),
    ["/integrations/v1/docs", "/integrations/v1/openapi.json", "/console/", "/healthz", "/readyz"],
  );
  for (const link of links) assert.equal((await fetch(link)).status, 200, link.href);
  const icon = await fetch(`${greeting.url}/favicon.ico`);
  assert.deepEqual([icon.status, icon.headers.get("content-type")], [200, "image/svg+xml"]);
  assert.match(await icon.text(), /^<svg /);
  const head = await fetch(`${greeting.url}/`, { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  assert.equal((await fetch(`${greeting.url}/nothing`)).status, 404);
});

for (const [name, options] of [
  ["in memory", []],
  ["with a data folder", ["--data", path("unlimited")]],
] as const) {
  test(`serve --rate-limit 0 accepts more than 300 requests and reports 10,000,000 ${name}`, async (t) => {
    const { greeting } = await serveInProcess(t, "--fixtures", file, "--rate-limit", "0", ...options);
    for (let i = 0; i < 310; i++) {
      const response = await fetch(`${greeting.baseUrl}/me`, { headers: key });
      assert.equal(response.status, 200, `request ${i + 1}: ${await response.text()}`);
      const { headers } = response;
      const limits = [headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")];
      assert.deepEqual(limits, ["10000000", "10000000"]);
    }
  });

  test(`serve --cors-origin lets the browser apps of these origins call the API ${name}`, async (t) => {
    const origins = ["https://app.example.com", "http://localhost:5173"];
    const flags = origins.flatMap((origin) => ["--cors-origin", origin]);
    const { greeting } = await serveInProcess(t, "--fixtures", file, "--into-existing", ...flags, ...options);
    for (const origin of [...origins, "https://other.example.com"]) {
      const allowed = origins.includes(origin) ? origin : null;
      const page = await fetch(`${greeting.baseUrl}/tasks`, { headers: { ...key, origin } });
      assert.deepEqual([page.status, page.headers.get("access-control-allow-origin")], [200, allowed]);
      const preflightHeaders = {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-api-key",
      };
      const preflight = await fetch(`${greeting.baseUrl}/tasks`, { method: "OPTIONS", headers: preflightHeaders });
      assert.deepEqual([preflight.status, preflight.headers.get("access-control-allow-origin")], [204, allowed]);
    }
    const control = await fetch(`${greeting.url}/__fixtures/requests`);
    assert.equal(control.status, 404, "browser apps must not reach the controls for tests");
  });

  test(`serve --compress compresses long responses ${name}`, async (t) => {
    const { greeting } = await serveInProcess(t, "--fixtures", file, "--into-existing", "--compress", ...options);
    const sent = { headers: { ...key, "accept-encoding": "gzip" } };
    const description = await fetch(`${greeting.baseUrl}/openapi.json`, sent);
    assert.equal(description.headers.get("content-encoding"), "gzip");
    assert.equal(((await description.json()) as { openapi: string }).openapi, "3.1.0");
    const short = await fetch(`${greeting.baseUrl}/tasks/${one.task}`, sent);
    assert.deepEqual([short.status, short.headers.get("content-encoding")], [200, null]);
  });
}
