import assert from "node:assert/strict";
import { type IncomingHttpHeaders, request as nodeRequest } from "node:http";
import { buffer } from "node:stream/consumers";
import { after, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { serve } from "../../../lib/http/index.ts";
import type { AppOptions } from "../../../lib/index.ts";
import { assertWorksBehind, startGateway } from "../../support/gateway.ts";
import { testCrm } from "../../support/harness.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { api, send } = await testCrm([one]);
const address = { host: "127.0.0.1", port: 0 };
const untrusting = await serve(api, address);
const trusting = await serve(api.app({ forwardedPrefix: true }), address);
after(async () => {
  await untrusting.close();
  await trusting.close();
  await api.close();
});
for (let i = 0; i < 10; i++) await send("POST", "/tasks", { key: one.key, body: { title: "Call ".repeat(20) } });

const base = "/integrations/v1";
const origin = "https://app.example.com";

type Received = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly bytes: Buffer };

/** Sends a request in process and to a port, and expects the same response from both. */
async function exchange(
  options: AppOptions,
  path: string,
  sent: Readonly<Record<string, string>> = {},
  method = "GET",
): Promise<Received> {
  const app = api.app(options);
  const headers = { "x-api-key": one.key, "x-request-id": "options-1", ...sent };
  const inProcess = await app.request(base + path, { method, headers });
  const server = await serve(app, address);
  try {
    const received = await new Promise<Received>((resolve, reject) => {
      nodeRequest(server.url + base + path, { method, headers, agent: false }, async (incoming) => {
        const { statusCode: status = 0, headers } = incoming;
        resolve({ status, headers, bytes: await buffer(incoming) });
      })
        .on("error", reject)
        .end();
    });
    assert.equal(received.status, inProcess.status);
    for (const [name, value] of inProcess.headers)
      if (!name.startsWith("x-ratelimit-")) assert.equal(received.headers[name], value, name);
    const bytes = Buffer.from(await inProcess.arrayBuffer());
    assert.equal(bytes.equals(received.bytes), true, "in process and on a port the bodies differ");
    return received;
  } finally {
    await server.close();
  }
}

function corsHeaders({ headers }: Received): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("access-control-")));
}

const preflight = {
  origin,
  "access-control-request-method": "POST",
  "access-control-request-headers": "content-type,idempotency-key,x-api-key",
};

test("without corsOrigins no response has CORS headers", async () => {
  for (const [method, sent] of [
    ["GET", { origin }],
    ["OPTIONS", preflight],
  ] as const)
    assert.deepEqual(corsHeaders(await exchange({}, "/tasks", sent, method)), {});
});

test("a preflight from an origin in corsOrigins allows the methods and headers of the API", async () => {
  const { status, headers } = await exchange({ corsOrigins: [origin] }, "/tasks", preflight, "OPTIONS");
  assert.equal(status, 204);
  assert.equal(headers["access-control-allow-origin"], origin);
  assert.equal(headers["access-control-allow-methods"], "GET,POST,PATCH,DELETE");
  assert.equal(headers["access-control-allow-headers"], preflight["access-control-request-headers"]);
  assert.equal(headers["access-control-max-age"], "600");
  assert.equal(headers["access-control-allow-credentials"], undefined);
});

test("responses to an origin in corsOrigins expose the headers of the API, also for errors", async () => {
  for (const [path, status] of [
    ["/tasks", 200],
    ["/nothing", 404],
  ] as const) {
    const received = await exchange({ corsOrigins: ["https://other.example.com", origin] }, path, { origin });
    assert.deepEqual([received.status, received.headers["access-control-allow-origin"]], [status, origin]);
    assert.match(received.headers.vary ?? "", /\bOrigin\b/);
    const exposed = received.headers["access-control-expose-headers"] ?? "";
    for (const name of ["Link", "Location", "Retry-After", "X-Next-Updated-Since", "X-Request-Id"])
      assert.ok(exposed.includes(name), `${name} isn't exposed`);
  }
});

test("an origin that isn't in corsOrigins isn't allowed", async () => {
  const other = { ...preflight, origin: "https://app.example.com.evil.example" };
  for (const method of ["GET", "OPTIONS"]) {
    const received = await exchange({ corsOrigins: [origin] }, "/tasks", other, method);
    assert.equal(received.headers["access-control-allow-origin"], undefined);
  }
});

test("corsOrigins with * allows every origin", async () => {
  const { headers } = await exchange({ corsOrigins: ["*"] }, "/tasks", { origin });
  assert.equal(headers["access-control-allow-origin"], "*");
});

const gzip = { "accept-encoding": "gzip, br" };

test("with compress a body of more than 1 KiB is compressed if the client accepts it", async () => {
  const plain = await exchange({}, "/tasks", gzip);
  assert.equal(plain.headers["content-encoding"], undefined);
  assert.ok(plain.bytes.length > 1024);
  const zipped = await exchange({ compress: true }, "/tasks", gzip);
  assert.deepEqual([zipped.headers["content-encoding"], zipped.headers.vary], ["gzip", "Accept-Encoding"]);
  assert.ok(zipped.bytes.length < plain.bytes.length / 2);
  assert.deepEqual(gunzipSync(zipped.bytes), plain.bytes);
  for (const sent of [{}, { "accept-encoding": "identity" }, { "accept-encoding": "gzip;q=0" }]) {
    const { headers, bytes } = await exchange({ compress: true }, "/tasks", sent);
    assert.deepEqual([headers["content-encoding"], headers.vary], [undefined, "Accept-Encoding"]);
    assert.deepEqual(bytes, plain.bytes);
  }
});

test("with compress a body of at most 1 KiB isn't compressed", async () => {
  for (const path of [`/tasks/${one.task}`, "/nothing", "/users"]) {
    const { headers, bytes } = await exchange({ compress: true }, path, gzip);
    assert.ok(bytes.length > 0 && bytes.length < 1024);
    assert.deepEqual([path, headers["content-encoding"]], [path, undefined]);
    assert.equal(headers["content-length"], String(bytes.length));
  }
});

test("with compress HEAD returns the headers of the uncompressed response, without a body", async () => {
  for (const path of ["/tasks", `/tasks/${one.task}`]) {
    const plain = await exchange({}, path);
    const head = await exchange({ compress: true }, path, gzip, "HEAD");
    assert.deepEqual([head.status, head.bytes.length, head.headers["content-encoding"]], [200, 0, undefined]);
    assert.equal(head.headers["content-length"], String(plain.bytes.length));
  }
});

test("with compress a response without a body has no Content-Encoding", async () => {
  const options = await exchange({ compress: true }, "/tasks", gzip, "OPTIONS");
  assert.deepEqual([options.status, options.headers["content-encoding"], options.bytes.length], [204, undefined, 0]);
});

test("Location, Link, the description and the reference work behind a gateway that strips a prefix", async (t) => {
  for (const { url } of [untrusting, trusting]) await assertWorksBehind(await startGateway(t, url, "/crm/eu"), one.key);
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
  assert.deepEqual(await serversAt(untrusting.url, "/crm"), relative);
});
