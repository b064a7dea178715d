import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { toNodeListener } from "../../../lib/http/index.ts";
import type { RequestSummary } from "../../../lib/index.ts";
import { mcpHandler } from "../../../lib/mcp/index.ts";
import { one, openCrm } from "../../support/crm.ts";
import { mcpClient } from "../../support/mcp.ts";

const summaries: RequestSummary[] = [];
const { api } = await openCrm({}, { onRequest: (summary) => void summaries.push(summary) });
const origin = "https://app.example.com";
const mcp = mcpClient(api, { "x-api-key": one.key }, { allowedOrigins: [origin] });
const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const listTasks = { name: "list_records", arguments: { entity: "task" } };

test("a request without a valid API key returns 401 with WWW-Authenticate and the error envelope", async () => {
  for (const [key, code] of [
    ["", "unauthorized"],
    [one.revokedKey, "unauthorized"],
  ]) {
    const { status, headers, body } = await mcp.request("tools/call", listTasks, { "x-api-key": key });
    assert.deepEqual([status, body.error?.code], [401, code]);
    assert.match(headers.get("www-authenticate") ?? "", /^Bearer/);
  }
});

test("the API key can be sent as a bearer token", async () => {
  const bearer = mcpClient(api, { authorization: `Bearer ${one.key}` });
  assert.equal((await bearer.call("list_records", { entity: "task" })).isError, undefined);
});

test("failed authentications of an address are limited", async () => {
  const { api } = await openCrm();
  const mcp = mcpClient(api, {});
  const statuses = new Set<number>();
  for (let sent = 0; sent < 61; sent++)
    statuses.add((await mcp.request("ping", {}, { "x-api-key": one.expiredKey })).status);
  assert.deepEqual([...statuses], [401, 429]);
});

test("GET and DELETE return 405 with Allow", async () => {
  for (const method of ["GET", "DELETE", "PUT"]) {
    const { status, headers, body } = await mcp.post(ping, {}, method);
    assert.deepEqual([status, headers.get("allow"), body.error.code], [405, "POST, OPTIONS", "bad_request"]);
  }
});

test("a web page of another origin gets 403 and no CORS headers", async () => {
  for (const sent of ["https://evil.example", "null", "http://crm.test"]) {
    const { status, headers, body } = await mcp.post(ping, { origin: sent });
    assert.deepEqual([status, body.error.code], [403, "bad_request"]);
    assert.equal(headers.get("access-control-allow-origin"), null);
  }
  assert.equal((await mcp.post(ping)).headers.get("access-control-allow-origin"), null);
});

test("a web page of an allowed origin can send requests", async () => {
  const preflight = await mcp.post("", { origin, "access-control-request-headers": "x-api-key" }, "OPTIONS");
  assert.deepEqual([preflight.status, preflight.headers.get("access-control-allow-headers")], [204, "x-api-key"]);
  const { status, headers } = await mcp.post(ping, { origin });
  assert.deepEqual([status, headers.get("access-control-allow-origin")], [200, origin]);
});

test("malformed JSON-RPC is a JSON-RPC error", async () => {
  for (const body of ["", "{", "[]", `[${ping}]`, '"ping"']) {
    const response = await mcp.post(body);
    assert.deepEqual([response.status, response.body.error.code], [400, -32700], body);
  }
  for (const body of ["{}", '{"jsonrpc":"1.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":{},"method":"ping"}']) {
    const response = await mcp.post(body);
    assert.equal(response.status, 400, body);
    assert.ok(response.body.error.code < 0, body);
  }
});

test("a message with the members of an HTTP response is no response", async () => {
  const { status, text } = await mcp.post('{"status":500,"headers":{"x-evil":"1"},"body":"evil"}');
  assert.deepEqual([status, text.includes("evil")], [400, false]);
});

test("a body of another type or of more than 1 MiB is rejected", async () => {
  assert.equal((await mcp.post(ping, { "content-type": "text/plain" })).status, 415);
  const { status, body } = await mcp.post(" ".repeat(1024 * 1024) + ping);
  assert.deepEqual([status, body.error.code], [413, "bad_request"]);
});

test("the server has no sessions, no streams and no subscriptions", async () => {
  const initialized = await mcp.request("initialize", {
    ...{ protocolVersion: "2025-11-25", capabilities: {} },
    clientInfo: { name: "test", version: "1" },
  });
  assert.deepEqual(
    [initialized.headers.get("content-type"), initialized.headers.get("mcp-session-id")],
    ["application/json", null],
  );
  const { status, body } = await mcp.request("subscriptions/listen", { notifications: {} });
  assert.deepEqual([status, body.error?.code], [404, -32601]);
});

test("the requests of a tool have the request ID of the call, and their operations in the log", async () => {
  summaries.length = 0;
  const { headers } = await mcp.request(
    "tools/call",
    { name: "describe_crm", arguments: {} },
    { "x-request-id": "r1" },
  );
  assert.equal(headers.get("x-request-id"), "r1");
  const logged = summaries.map(({ requestId, operation, status }) => `${requestId} ${operation} ${status}`);
  assert.deepEqual(logged.sort(), ["r1 getMe 200", "r1 listPipelines 200", "r1 listUsers 200"]);
  summaries.length = 0;
  await mcp.request("tools/list", {}, { "x-api-key": "" });
  assert.deepEqual(
    summaries.map(({ operation, status }) => [operation, status]),
    [[null, 401]],
  );
});

test("a tool takes one token of the rate limit for each request to the API, and a connection takes none", async () => {
  const { api } = await openCrm();
  const { request, call, listTools } = mcpClient(api, { "x-api-key": one.secondKey });
  const remaining = async (): Promise<number> => {
    const data = (await call("describe_crm", {})).structuredContent.data as { scopes: unknown };
    assert.ok(data.scopes);
    const response = await api.fetch(
      new Request("http://crm.test/integrations/v1/me", { headers: { "x-api-key": one.secondKey } }),
    );
    return Number(response.headers.get("x-ratelimit-remaining"));
  };
  const before = await remaining();
  await request("ping");
  await listTools();
  await call("list_records", { entity: "task" });
  // The list of tools and the list of tasks take one each, describe_crm takes three, and the request itself one.
  assert.equal(before - (await remaining()), 6);
});

test("a call beyond the rate limit returns the error of the API", async () => {
  const { api } = await openCrm();
  const { call } = mcpClient(api, { "x-api-key": one.key });
  let last = await call("list_records", { entity: "task" });
  for (let sent = 1; sent <= 300; sent++) last = await call("list_records", { entity: "task" });
  assert.equal((last.structuredContent.error as { code: string }).code, "rate_limited");
});

test("a clock of the host that fails is reported, and the response is 500", async () => {
  const reported: unknown[] = [];
  const logger = { error: ({ err }: Readonly<Record<string, unknown>>) => void reported.push(err) };
  const { api, clock } = await openCrm({}, { logger });
  const { request } = mcpClient(api, { "x-api-key": one.key });
  const error = new Error("no clock");
  clock.monotonic = () => {
    throw error;
  };
  assert.equal((await request("ping")).status, 500);
  assert.deepEqual(reported, [error]);
});

test("the adapters serve /mcp below any prefix, and no path below it", async (t) => {
  const { api } = await openCrm();
  const handler = mcpHandler(api);
  const server = createServer(toNodeListener(handler)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const headers = { ...json, "x-api-key": one.key };
  const post = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body: ping });
  const responses = await Promise.all(["/mcp", "/mcp/", "/crm/mcp", "/mcp/sub"].map(post));
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200, 200, 404],
  );
  assert.deepEqual(await responses[0]?.json(), { jsonrpc: "2.0", id: 1, result: {} });
});

test("after close, a request returns 503", async () => {
  const { api } = await openCrm();
  const { request } = mcpClient(api, { "x-api-key": one.key });
  await api.close();
  assert.equal((await request("ping")).status, 503);
});
