import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, request } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, type TestContext, test } from "node:test";
import express from "express";
import fastify from "fastify";
import { toExpressMiddleware } from "../../../lib/http/express.ts";
import { toFastifyPlugin } from "../../../lib/http/fastify.ts";
import { toNodeListener } from "../../../lib/http/index.ts";
import { toNextHandlers } from "../../../lib/http/next.ts";
import { isApiPath } from "../../../lib/http/paths.ts";
import type { RequestEnv } from "../../../lib/index.ts";
import { adminAuth, tokenFor } from "../../support/admin.ts";
import { baseUrl, type Result, testCrm } from "../../support/harness.ts";
import { onHono, onHonoServer, onNext, onNode, withoutHost } from "../../support/mount-hosts.ts";
import { base, mountTests, one } from "../../support/mounts.ts";
import { dataOf, verdict } from "../../support/responses.ts";

describe("api.fetch without a host", { timeout: 60_000 }, mountTests(withoutHost));
describe("the listener for node:http", { timeout: 60_000 }, mountTests(onNode));
describe("a route of Hono", { timeout: 60_000 }, mountTests(onHono));
describe("a route of a Hono app on Node", { timeout: 60_000 }, mountTests(onHonoServer));
describe("route handlers of Next", { timeout: 60_000 }, mountTests(onNext));

const logged: unknown[] = [];
const logger = { error: ({ err }: Readonly<Record<string, unknown>>) => void logged.push(`${err}`) };
const crm = await testCrm([one], { adminAuth, logger });
after(() => crm.api.close());

test("toNextHandlers passes the client address of remoteAddress and the Next.js request to authenticate", async () => {
  const received: RequestEnv[] = [];
  const watched = {
    fetch(request: Request, env: RequestEnv = {}) {
      received.push(env);
      return crm.api.fetch(request);
    },
  };
  const remoteAddress = ({ headers }: Request) => headers.get("x-real-ip") ?? undefined;
  const request = new Request(`http://crm.test${base}/me`, { headers: { "x-real-ip": "192.0.2.7" } });
  await toNextHandlers(watched, { remoteAddress }).GET(request);
  await toNextHandlers(watched).GET(request);
  assert.deepEqual(received, [
    { remoteAddress: "192.0.2.7", hostRequest: request },
    { remoteAddress: undefined, hostRequest: request },
  ]);
});

test("toNextHandlers sends no compressed body, because Next.js drops content-encoding", async () => {
  const compressing = crm.api.app({ compress: true });
  const headers = { "x-api-key": one.key, "accept-encoding": "gzip, deflate" };
  const get = (path: string, more: object = {}) => new Request(`http://crm.test${base}${path}`, { headers, ...more });
  const compressed = await compressing.fetch(get("/openapi.json"));
  assert.equal(compressed.headers.get("content-encoding"), "gzip");
  const { GET, HEAD } = toNextHandlers(compressing);
  const response = await GET(get("/openapi.json"));
  assert.equal(response.headers.get("content-encoding"), null);
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(((await response.json()) as { openapi?: string }).openapi, "3.1.0");
  assert.equal((await HEAD(get("/me", { method: "HEAD" }))).status, 200);
});

const readBefore = "TypeError: The request body was read before it reached the CRM. Pass the request on unread.";
const json = { "content-type": "application/json" };

/** Sends to a server that listens; GETs may have a body too. */
async function send(port: number, method: string, path: string, body: string, more: object = {}): Promise<Result> {
  const headers = { ...json, "x-api-key": one.key, "content-length": Buffer.byteLength(body), ...more };
  const outgoing = request({ port, method, path, headers }).end(body);
  const [response] = await once(outgoing, "response");
  const text = Buffer.concat(await response.toArray()).toString();
  return {
    status: response.statusCode,
    headers: new Headers(),
    text,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

async function listening(t: TestContext, listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0);
  t.after(() => server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const behindJson = express().use(express.json()).use(toExpressMiddleware(crm.api));

test("a body that the host has read returns 500 instead of being treated as empty", async (t) => {
  const listener = toNodeListener(crm.api);
  const port = await listening(t, (incoming, outgoing) => {
    incoming.resume().once("end", () => listener(incoming, outgoing));
  });
  const authorization = `Bearer ${await tokenFor(crm, one.id, one.admin)}`;
  const listKeys = () => crm.storage.list(one.id, "apiKey", { includeArchived: true });
  const before = await listKeys();
  const body = JSON.stringify({ integrationId: one.otherIntegration, scopes: ["tasks:read"] });
  const url = baseUrl.replace("/v1", "/api-key/generate");
  const path = new URL(url).pathname;
  assert.equal(verdict(await send(port, "POST", path, body, { authorization, "x-api-key": [] })), "500 internal_error");
  const used = new Request(url, { method: "POST", body, headers: { ...json, authorization } });
  await used.text();
  assert.equal((await crm.api.fetch(used)).status, 500);
  assert.deepEqual(await listKeys(), before);
  assert.deepEqual(logged.splice(0), [readBefore, readBefore]);
  assert.equal((await send(port, "GET", "/integrations/v1/me", "")).status, 200, "there is no body to read");
});

test("GET with a body returns 400 on every adapter, also behind a parser", async (t) => {
  const app = fastify();
  app.register(toFastifyPlugin(crm.api));
  t.after(() => app.close());
  await app.listen({ port: 0 });
  const ports = [
    await listening(t, toNodeListener(crm.api)),
    await listening(t, behindJson),
    (app.server.address() as AddressInfo).port,
  ];
  for (const port of ports) {
    const verdicts: string[] = [];
    for (const body of ['{"status":"pending"}', `{"tenantId":"${one.account}"}`, ""]) {
      verdicts.push(verdict(await send(port, "GET", "/integrations/v1/tasks", body)));
    }
    assert.deepEqual(verdicts, [
      "400 validation_error: /status unknown_key",
      "422 invalid_reference: /tenantId not_found",
      "200",
    ]);
  }
});

test("a number beyond the double range returns 400 behind a parser and clears no field", async (t) => {
  const port = await listening(t, behindJson);
  const path = `/integrations/v1/opportunities/${one.opportunity}`;
  const before = dataOf<{ amount: unknown }>(await send(port, "PATCH", path, '{"amount":4200,"currency":"EUR"}'));
  for (const amount of ["1e400", "-1e400"]) {
    const rejected = await send(port, "PATCH", path, `{"amount":${amount}}`);
    assert.equal(verdict(rejected), "400 validation_error: /amount out_of_range");
  }
  assert.equal(before.amount, 4200);
  assert.deepEqual(dataOf(await send(port, "GET", path, "")), before);
});

test("mounted at the root, other paths under /integrations belong to the host", async (t) => {
  const app = express().use(toExpressMiddleware(crm.api));
  app.use((_, response) => void response.json({ host: true }));
  const port = await listening(t, app);
  for (const path of ["/settings/integrations/slack", "/integrations", "/integrations/v10/x"]) {
    assert.deepEqual((await send(port, "GET", path, "")).body, { host: true });
  }
  for (const path of ["/x/integrations/v1", "/integrations/api-key", "/integrations/v1/nothing"]) {
    assert.notEqual((await send(port, "GET", path, "")).status, 200, path);
  }
});

test("isApiPath() returns true for every path of the API behind any prefix", () => {
  for (const { access, path } of crm.api.endpoints) {
    const root = access === "admin" ? "/integrations" : "/integrations/v1";
    for (const prefix of ["", "/eu/crm"]) assert.ok(isApiPath(prefix + root + path), path);
  }
  for (const path of ["openapi.json", "docs", "docs/start.js"]) assert.ok(isApiPath(`/integrations/v1/${path}`), path);
});

test("a request without rawHeaders is read from its parsed headers", async (t) => {
  const listener = toNodeListener(crm.api);
  const port = await listening(t, (incoming, outgoing) => {
    listener(Object.assign(incoming, { rawHeaders: [] }), outgoing);
  });
  assert.equal((await send(port, "GET", "/integrations/v1/me", "")).status, 200);
});
