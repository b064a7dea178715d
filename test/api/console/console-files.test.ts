import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { Console } from "../../../lib/console/index.ts";
import { assets, consoleOrigin, openConsole } from "../../support/console.ts";
import { verdict } from "../../support/responses.ts";

test("GET /console/ returns the page with a strict Content-Security-Policy", async (t) => {
  const { send } = await openConsole(t);
  const { status, headers, text } = await send("GET", "/", { headers: { "sec-fetch-site": "cross-site" } });
  assert.deepEqual([status, text], [200, "<!doctype html><title>Console</title>"]);
  const policy = (headers.get("content-security-policy") ?? "").split("; ");
  assert.deepEqual(policy, [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]);
  assert.equal(headers.get("referrer-policy"), "no-referrer");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
});

test("only the inline script that the page was built with runs", async (t) => {
  const script = "const a = 1;\nconst b = 2;";
  const page = { type: "text/html; charset=utf-8", body: `<!doctype html><script>${script}</script>` };
  const { send } = await openConsole(t, { assets: new Map([...assets, ["index.html", page]]) });
  const { headers } = await send("GET", "/");
  const sha256 = createHash("sha256").update(script).digest("base64");
  assert.match(headers.get("content-security-policy") ?? "", /; script-src 'self' 'sha256-[^']+'; /);
  assert.ok(headers.get("content-security-policy")?.includes(`'sha256-${sha256}'`));
});

test("GET of a file with its ETag returns 304", async (t) => {
  const { send } = await openConsole(t);
  for (const path of ["/", "/console.js", "/console.css"]) {
    const first = await send("GET", path);
    assert.equal(first.headers.get("cache-control"), "no-cache");
    const etag = first.headers.get("etag") ?? "";
    const again = await send("GET", path, { headers: { "if-none-match": etag } });
    assert.deepEqual([again.status, again.text, again.headers.get("etag")], [304, "", etag]);
    assert.equal((await send("GET", path, { headers: { "if-none-match": '"old"' } })).status, 200);
  }
});

test("browsers store a file whose name has a hash, and ask for the page on each load", async (t) => {
  const script = { type: "text/javascript; charset=utf-8", body: "export {};" };
  const { send } = await openConsole(t, { assets: new Map([...assets, ["main-ABCD2345.js", script]]) });
  const stored = await send("GET", "/main-ABCD2345.js");
  assert.deepEqual([stored.status, stored.headers.get("cache-control")], [200, "public, max-age=31536000, immutable"]);
  for (const path of ["/", "/console.js"])
    assert.equal((await send("GET", path)).headers.get("cache-control"), "no-cache");
  // A page of another version loads no part of this one.
  const other = await send("GET", "/main-ABCD2346.js");
  assert.deepEqual([verdict(other), other.headers.get("cache-control")], ["404 not_found", "no-store"]);
});

test("GET of a file returns it with gzip if the client accepts that, with another ETag", async (t) => {
  const { console, send } = await openConsole(t);
  const plain = await send("GET", "/console.js");
  for (const [accepted, isCompressed] of [
    ["gzip, deflate, br", true],
    ["br;q=1.0, gzip;q=0.8", true],
    ["gzip;q=0, br", false],
    ["br", false],
  ] as const) {
    const headers = { "accept-encoding": accepted };
    const { headers: got, ...response } = await fetchFile(console, headers);
    assert.equal(got.get("content-encoding"), isCompressed ? "gzip" : null, accepted);
    assert.equal(got.get("vary"), "accept-encoding");
    assert.equal((isCompressed ? gunzipSync(response.body) : response.body).toString(), plain.text);
    const etag = got.get("etag") ?? "";
    assert.equal(etag === plain.headers.get("etag"), !isCompressed);
    assert.equal((await fetchFile(console, { ...headers, "if-none-match": etag })).status, 304);
  }
});

async function fetchFile(console: Console, headers: Readonly<Record<string, string>>) {
  const response = await console.fetch(new Request(`${consoleOrigin}/console/console.js`, { headers }));
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
}

test("GET /console redirects to /console/, and HEAD returns no body", async (t) => {
  const { send } = await openConsole(t);
  const redirect = await send("GET", "");
  assert.deepEqual([redirect.status, redirect.headers.get("location")], [308, "console/"]);
  const head = await send("HEAD", "/console.js");
  assert.deepEqual([head.status, head.text], [200, ""]);
});

test("unknown paths return 404 and other methods 405", async (t) => {
  const { send, signIn } = await openConsole(t);
  const cookie = await signIn();
  const unknown = [
    "/x",
    "/console.js.map",
    "/../etc/passwd",
    "/%2e%2e/x",
    "/session/",
    "/api",
    "/apis/v1/me",
    "/__proto__",
  ];
  for (const path of [...unknown, "/api/", "/api/v1", "/api/v1/nothing", "/api/v2/me", "/api/admin/nothing"])
    assert.equal(verdict(await send("GET", path, { cookie })), "404 not_found", path);
  for (const [method, path] of [
    ["POST", "/"],
    ["DELETE", "/console.js"],
    ["PUT", "/session"],
    ["PUT", "/api/v1/me"],
  ] as const)
    assert.equal(verdict(await send(method, path, { cookie })), "405 bad_request", path);
});

test("GET /console/ names the command that builds the page if it isn't built", async (t) => {
  const { send } = await openConsole(t, { assets: new Map() });
  const { status, headers, text } = await send("GET", "/");
  assert.equal(`${status} ${text}`, "404 The console isn't built. Run: npm run build:console\n");
  assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
});

test("malformed requests never return 500", async (t) => {
  const { console, send, signIn } = await openConsole(t);
  const cookie = await signIn();
  const bodies = [
    "",
    "{",
    "[]",
    "null",
    '"x"',
    '{"token":1}',
    '{"token":""}',
    '{"token":"AAAA"}',
    '{"token":"\\u0000"}',
    "{}",
  ];
  bodies.push(JSON.stringify({ token: "A".repeat(100_000) }), JSON.stringify({ token: "ä" }), "\ud800".repeat(50));
  const cookies = [cookie, "crm_console", ";;;", "=", `crm_console=${"%".repeat(5_000)}`, "crm_console=\u00ff"];
  for (const body of bodies)
    for (const type of ["application/json", "text/plain", ""]) {
      const headers = { origin: consoleOrigin, "content-type": type };
      const init = { method: "POST", headers, body };
      const { status } = await console.fetch(new Request(`${consoleOrigin}/console/session`, init));
      assert.ok(status >= 400 && status < 500, `${status} ${body.slice(0, 50)}`);
    }
  for (const each of cookies) {
    const { status } = await send("GET", "/api/v1/me", { cookie: each });
    assert.ok(status === 401 || each === cookie, `${status} ${each}`);
  }
  for (const path of [
    "/api/%",
    "/api/v1/accounts/%00",
    "/api/v1/accounts?limit=%ff",
    "/%ff",
    "/api//evil.example/x",
    "//x",
  ])
    assert.ok((await send("GET", path, { cookie })).status < 500, path);
});
