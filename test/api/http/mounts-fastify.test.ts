import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import fastify from "fastify";
import { toFastifyPlugin } from "../../../lib/http/fastify.ts";
import type { RequestEnv } from "../../../lib/index.ts";
import { testCrm } from "../../support/harness.ts";
import { listenFastify, onFastify } from "../../support/mount-hosts.ts";
import { base, mountTests, one } from "../../support/mounts.ts";
import { exchange } from "../../support/raw-http.ts";

describe("a plugin of Fastify 5", { timeout: 60_000 }, mountTests(onFastify));

const { api } = await testCrm([one]);
after(() => api.close());
const headers = { "x-api-key": one.key, "content-type": "application/json" };

test("the hooks of the host run for API requests and get the response body as bytes", async (t) => {
  const seen: string[] = [];
  const app = fastify();
  app.addHook("onRequest", async () => void seen.push("onRequest"));
  app.addHook("preHandler", async ({ body }) => void seen.push(`preHandler ${body}`));
  app.addHook("onSend", async (_, reply, payload) => {
    seen.push(`onSend ${payload === undefined ? "nothing" : Object.keys(JSON.parse(String(payload)))}`);
    reply.header("x-host", "yes");
  });
  app.addHook("onResponse", async (_, reply) => void seen.push(`onResponse ${reply.statusCode}`));
  app.register(toFastifyPlugin(api), { prefix: "/eu/crm" });
  t.after(() => app.close());
  const created = await app.inject({ method: "POST", url: `${base}/tasks`, headers, payload: '{"title":"Call"}' });
  const { location = "", "x-host": host } = created.headers;
  assert.deepEqual([created.statusCode, host], [201, "yes"]);
  const gone = await app.inject({ method: "DELETE", url: `${base}/${location}`, headers: { "x-api-key": one.key } });
  assert.deepEqual([gone.statusCode, gone.body, gone.headers["x-host"]], [204, "", "yes"]);
  const [first, second] = ["onRequest", "onRequest"];
  assert.deepEqual(seen, [
    ...[first, "preHandler undefined", "onSend data", "onResponse 201"],
    ...[second, "preHandler undefined", "onSend nothing", "onResponse 204"],
  ]);
});

test("other routes of the host use its parsers, and errors of hooks reach its error handler", async (t) => {
  const app = fastify();
  app.setErrorHandler((error, _, reply) => reply.code(418).send({ host: (error as Error).message }));
  app.post("/hello", async ({ body }) => body);
  app.addHook("preHandler", async ({ headers }) => {
    if (headers["x-fail"] !== undefined) throw new Error("not today");
  });
  app.register(toFastifyPlugin(api), { prefix: "/eu/crm" });
  t.after(() => app.close());
  const own = await app.inject({ method: "POST", url: "/hello", payload: { a: 1 } });
  assert.deepEqual([own.statusCode, own.json()], [200, { a: 1 }]);
  const broken = await app.inject({ method: "POST", url: "/hello", headers, payload: "{" });
  assert.equal(broken.statusCode, 418);
  const failed = await app.inject({ method: "GET", url: `${base}/me`, headers: { ...headers, "x-fail": "1" } });
  assert.deepEqual([failed.statusCode, failed.json()], [418, { host: "not today" }]);
  const outside = await app.inject({ method: "GET", url: "/eu/crm/nothing" });
  assert.equal(outside.statusCode, 404);
});

test("a hook that sends a response prevents the API from running", async (t) => {
  const app = fastify();
  app.addHook("onRequest", async (_, reply) => reply.code(403).send({ host: "no" }));
  app.register(toFastifyPlugin({ ...api, fetch: () => assert.fail("the API was called") }));
  t.after(() => app.close());
  const { statusCode, body } = await app.inject({ method: "GET", url: "/integrations/v1/me", headers });
  assert.deepEqual([statusCode, body], [403, '{"host":"no"}']);
});

test("without a prefix the plugin serves /integrations, including admin endpoints and unknown paths", async (t) => {
  const app = fastify();
  app.register(toFastifyPlugin(api));
  t.after(() => app.close());
  const statuses = [];
  for (const url of ["/integrations/v1/me", "/integrations/api-key", "/integrations/v1/nothing", "/integrations/"]) {
    const response = await app.inject({ method: "GET", url, headers });
    statuses.push([url, response.statusCode, response.json().error?.code]);
  }
  assert.deepEqual(statuses, [
    ["/integrations/v1/me", 200, undefined],
    ["/integrations/api-key", 401, "unauthorized"],
    ["/integrations/v1/nothing", 404, "not_found"],
    ["/integrations/", 404, "not_found"],
  ]);
});

test("an unsupported method returns 405 with Allow", async (t) => {
  const app = fastify();
  app.register(toFastifyPlugin(api), { prefix: "/eu/crm" });
  const { origin } = await listenFastify(app);
  t.after(() => app.close());
  for (const method of ["PUT", "PATCH", "DELETE"]) {
    const response = await fetch(`${origin}${base}/tasks`, { method, headers: { "x-api-key": one.key } });
    const allow = "GET, POST, HEAD, OPTIONS";
    assert.deepEqual([method, response.status, response.headers.get("allow")], [method, 405, allow]);
  }
});

test("a repeated credential header returns 401, as without a host", async (t) => {
  const app = fastify();
  app.register(toFastifyPlugin(api), { prefix: "/eu/crm" });
  const { origin } = await listenFastify(app);
  t.after(() => app.close());
  const lines = [`GET ${base}/me HTTP/1.1`, "Host: a", `Authorization: Bearer ${one.key}`, "Authorization: Bearer x"];
  const [response] = await exchange(origin, `${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
  assert.equal(response?.status, 401);
});

test("authenticate gets the client address behind a trusted proxy and the Fastify request", async (t) => {
  const received: RequestEnv[] = [];
  const recordingFetch = (request: Request, env: RequestEnv = {}) => {
    received.push(env);
    return api.fetch(request, env);
  };
  const app = fastify({ trustProxy: true });
  app.decorateRequest("user", "");
  app.addHook("preHandler", async (request) => void Object.assign(request, { user: "ana" }));
  app.register(toFastifyPlugin({ ...api, fetch: recordingFetch }), { prefix: "/eu/crm" });
  t.after(() => app.close());
  await app.inject({ method: "GET", url: `${base}/me`, headers: { ...headers, "x-forwarded-for": "192.0.2.7" } });
  assert.deepEqual(
    received.map(({ remoteAddress, hostRequest }) => [remoteAddress, (hostRequest as { user: string }).user]),
    [["192.0.2.7", "ana"]],
  );
});
