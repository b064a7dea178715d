import assert from "node:assert/strict";
import { test } from "node:test";
import { openDocsSite, serveSite, withDocsSite } from "../../bin/server/docs-site.ts";
import { openPackedFiles } from "../../bin/server/packed-files.ts";
import { packFiles } from "../../site/pack-files.ts";

const files = [
  ["index.html", "<h1>Documentation</h1>"],
  ["404.html", "<h1>Not found</h1>"],
  ["start/first-sync.html", "<h1>First sync</h1>"],
  ["llms.txt", "# Docs\n"],
] as const;
const packed = packFiles(files.map(([path, text]) => [path, Buffer.from(text)]));
const site = serveSite(() => openPackedFiles(new Uint8Array(packed)));
const other = { fetch: async () => new Response("API") };

function request(path: string, init: RequestInit = {}): Promise<Response> {
  return Promise.resolve(withDocsSite(other, site).fetch(new Request(`http://crm.example${path}`, init), {}));
}

test("the documentation site serves its files with their types under a strict policy", async () => {
  for (const [path, text, type] of [
    ["/docs/", "<h1>Documentation</h1>", "text/html; charset=utf-8"],
    ["/docs/start/first-sync.html?a=1", "<h1>First sync</h1>", "text/html; charset=utf-8"],
    ["/docs/llms.txt", "# Docs\n", "text/plain; charset=utf-8"],
  ] as const) {
    const response = await request(path);
    assert.deepEqual([response.status, response.headers.get("content-type"), await response.text()], [200, type, text]);
    assert.match(
      response.headers.get("content-security-policy") ?? "",
      /^default-src 'none'; script-src 'self'; style-src 'self'; /,
    );
  }
});

test("the documentation site compresses for clients that accept gzip, and returns 304 for a known ETag", async () => {
  const compressed = await request("/docs/llms.txt", { headers: { "accept-encoding": "br, gzip" } });
  assert.equal(compressed.headers.get("content-encoding"), "gzip");
  const plain = new Response(compressed.body?.pipeThrough(new DecompressionStream("gzip")));
  assert.equal(await plain.text(), "# Docs\n");
  const etag = compressed.headers.get("etag") ?? "";
  assert.equal((await request("/docs/llms.txt", { headers: { "if-none-match": etag } })).status, 304);
});

test("the documentation site returns its own page with 404 for unknown paths", async () => {
  for (const path of ["/docs/none.html", "/docs/../etc", "/docs/%2e%2e%2fetc%2fpasswd", "/docs/%", "/docs/start"]) {
    const response = await request(path);
    const isSite = new URL(`http://crm.example${path}`).pathname.startsWith("/docs");
    assert.equal(response.status, isSite ? 404 : 200, path);
    assert.equal(await response.text(), isSite ? "<h1>Not found</h1>" : "API", path);
  }
});

test("the path of a page without .html leads to the page", async () => {
  const redirect = await request("/docs/start/first-sync?a=1");
  assert.deepEqual([redirect.status, redirect.headers.get("location")], [308, "/docs/start/first-sync.html"]);
});

test("only /docs and the paths below it belong to the documentation site", async () => {
  const redirect = await request("/docs");
  assert.deepEqual([redirect.status, redirect.headers.get("location")], [308, "/docs/"]);
  for (const path of ["/", "/docsite", "/integrations/v1/docs"])
    assert.equal(await (await request(path)).text(), "API");
});

test("the documentation site rejects writes with the methods that it allows", async () => {
  const response = await request("/docs/", { method: "POST" });
  assert.deepEqual([response.status, response.headers.get("allow")], [405, "GET, HEAD"]);
  assert.equal(((await response.json()) as { error: { code: string } }).error.code, "bad_request");
  const head = await request("/docs/llms.txt", { method: "HEAD" });
  assert.deepEqual([head.headers.get("content-length"), await head.text()], ["7", ""]);
});

test("the documentation site is read at the first request for a page of it", async () => {
  let reads = 0;
  const lazy = serveSite(() => {
    reads++;
    return openPackedFiles(new Uint8Array(packed));
  });
  const get = async (path: string) => withDocsSite(other, lazy).fetch(new Request(`http://crm.example${path}`), {});
  await get("/integrations/v1/tasks");
  assert.equal(reads, 0);
  assert.equal((await get("/docs/")).status, 200);
  assert.equal((await get("/docs/llms.txt")).status, 200);
  assert.equal(reads, 1);
});

test("--docs off serves no documentation", () => {
  assert.equal(openDocsSite({ docs: "off" }), undefined);
});
