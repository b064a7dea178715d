import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { openApiJson } from "../../../lib/index.ts";
import { sendUnchecked, testCrm } from "../../support/harness.ts";
import { errorOf } from "../../support/responses.ts";
import { crmIntegrations } from "../../support/run-program.ts";

const { api, send } = await testCrm([]);
after(() => api.close());

const committed = JSON.parse(readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8"));
const id = { "X-Request-Id": "page-1" };

/** Sends a request without an API key. Returns the status, all headers and the text. */
async function read(path: string): Promise<{ status: number; headers: Record<string, string>; text: string }> {
  const response = await api.fetch(new Request(`http://crm.test${path}`, { headers: id }));
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
}

const always = { "x-request-id": "page-1", "x-content-type-options": "nosniff" };

test("GET /openapi.json returns the description without an API key, with server URLs relative to its own URL", async () => {
  for (const prefix of ["", "/gateway/a%20b", "//evil.test", '/"}],"x":[{"y":"']) {
    const { status, headers, text } = await read(`${prefix}/integrations/v1/openapi.json`);
    assert.equal(status, 200);
    assert.deepEqual(headers, { ...always, "cache-control": "no-store", "content-type": "application/json" });
    const { servers, paths, ...rest } = JSON.parse(text);
    const { servers: _, paths: committedPaths, ...committedRest } = committed;
    assert.deepEqual(rest, committedRest);
    assert.deepEqual(Object.keys(paths), Object.keys(committedPaths));
    assert.deepEqual([servers[0].url, paths["/api-key"].servers[0].url], [".", ".."]);
  }
});

test("the library and the program return the same description", async () => {
  assert.deepEqual(JSON.parse(openApiJson()), committed);
  const { code, stdout, stderr } = await crmIntegrations("openapi");
  assert.deepEqual([code, JSON.parse(stdout), stderr], [0, committed, ""]);
});

test("the page loads only its own files, and its Content-Security-Policy allows no others", async () => {
  const { status, headers, text } = await read("/any/prefix/integrations/v1/docs");
  assert.equal(status, 200);
  const { "content-security-policy": policy, ...others } = headers;
  assert.deepEqual(others, {
    ...always,
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "no-referrer",
  });
  assert.equal(
    policy,
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  const loaded = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link);
  const files = ["docs/swagger-ui.css", "docs/swagger-ui-bundle.js", "docs/start.js"];
  assert.deepEqual(loaded, ["data:,", files[0], "openapi.json", files[1], files[2]]);
  assert.doesNotMatch(text, /<script>|<style|style=|onload=/);
});

test("the files of the page can be cached for an hour", async () => {
  const types = {
    "start.js": "text/javascript",
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
  };
  for (const [name, type] of Object.entries(types)) {
    const { status, headers, text } = await read(`/integrations/v1/docs/${name}`);
    assert.equal(status, 200);
    assert.deepEqual(headers, {
      ...always,
      "cache-control": "public, max-age=3600",
      "content-type": `${type}; charset=utf-8`,
    });
    assert.ok(text.length > 100);
  }
});

test("the page with a slash at the end redirects to the page without one", async () => {
  const { status, headers } = await read("/gateway/integrations/v1/docs/");
  assert.deepEqual([status, headers.location], [308, "../docs"]);
  assert.equal(
    new URL("../docs", "http://crm.test/gateway/integrations/v1/docs/").pathname,
    "/gateway/integrations/v1/docs",
  );
});

test("other paths and methods return the usual errors", async () => {
  for (const name of ["swagger-ui.js", "constructor", "..%2Fpackage.json", "%2e%2e/package.json", "openapi.json"]) {
    const result = await send("GET", `/docs/${name}`);
    assert.deepEqual([result.status, errorOf(result).code], [404, "not_found"], name);
  }
  for (const path of ["/openapi.json", "/docs", "/docs/start.js"]) {
    const result = await sendUnchecked(api, "POST", path);
    assert.deepEqual([result.status, result.headers.get("allow")], [405, "GET, HEAD, OPTIONS"], path);
  }
});
