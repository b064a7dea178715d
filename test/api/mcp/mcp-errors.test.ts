import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { createMcp, type McpCall } from "../../../lib/mcp/index.ts";
import { one, openCrm } from "../../support/crm.ts";
import { mcpClient, type ToolResult, toolError } from "../../support/mcp.ts";

/** Connects a client to a server whose requests to the API have these responses. */
async function connect(call: McpCall, onError?: (error: unknown) => void) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createMcp({ call, onError }).connect(far);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(near);
  return client;
}

test("a request without a response is an error of the tool, and its cause isn't shown", async () => {
  const errors: unknown[] = [];
  const cause = new TypeError("connect ECONNREFUSED 10.0.0.7:5432");
  const client = await connect(
    () => Promise.reject(cause),
    (error) => void errors.push(error),
  );
  const operations = [{ op: "create", data: {} }];
  const result = await client.callTool({ name: "apply_changes", arguments: { entity: "task", operations } });
  const { code, message } = toolError(result as unknown as ToolResult);
  assert.deepEqual(
    [code, message],
    ["internal_error", "No complete response of the API. It is unknown whether the request succeeded."],
  );
  assert.deepEqual(errors, [cause]);
  await client.close();
});

test("tools/list returns the message of the API if the key was revoked", async () => {
  const error = { code: "unauthorized", message: "The API key was revoked." };
  const client = await connect(async () => ({ status: 401, body: { error } }));
  await assert.rejects(client.listTools(), /The API key was revoked\./);
  await client.close();
});

test("describe_crm returns the first error of its requests", async () => {
  const error = { code: "rate_limited", message: "Rate limit exceeded." };
  const me = { data: { scopes: ["users:read", "pipelines:read"], serverTime: "" } };
  const client = await connect(async (_, path) =>
    path === "/me" ? { status: 200, body: me } : { status: 429, body: { error } },
  );
  const result = await client.callTool({ name: "describe_crm", arguments: {} });
  assert.deepEqual(toolError(result as unknown as ToolResult), error);
  await client.close();
});

test("describe_crm returns the first 100 users, and how many there are besides", async () => {
  const user = (id: number) => ({ id, name: "N", email: "E", role: "member" });
  const bodies: Readonly<Record<string, unknown>> = {
    "/me": { data: { scopes: ["users:read"], serverTime: "2026-01-01T00:00:00.000Z" } },
    "/users": { data: Array.from({ length: 130 }, (_, id) => user(id)) },
  };
  const client = await connect(async (_, path) => ({ status: 200, body: bodies[path] }));
  const { structuredContent } = await client.callTool({ name: "describe_crm", arguments: {} });
  const { users, moreUsers } = (structuredContent as { data: { users: object[]; moreUsers: number } }).data;
  assert.deepEqual([users.length, users[0], moreUsers], [100, { id: 0, name: "N", email: "E" }, 30]);
  await client.close();
});

test("the errors of the database are reported with the request ID of the call, and hidden from the caller", async () => {
  const reported: unknown[] = [];
  const logger = { error: ({ requestId }: Readonly<Record<string, unknown>>) => void reported.push(requestId) };
  const { api, storage } = await openCrm({}, { logger });
  const { request } = mcpClient(api, { "x-api-key": one.key });
  storage.listJson = () => Promise.reject(new Error("SELECT broke"));
  const input = { name: "list_records", arguments: { entity: "task" } };
  const { status, text, body } = await request("tools/call", input, { "x-request-id": "call-1" });
  assert.equal(status, 200);
  assert.equal(toolError(body.result as ToolResult).code, "internal_error");
  assert.doesNotMatch(text, /SELECT/);
  assert.deepEqual(reported, ["call-1"]);
});
