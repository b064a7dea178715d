import assert from "node:assert/strict";
import { existsSync, renameSync } from "node:fs";
import { test } from "node:test";
import { type Greeting, type Started, serving, servingUnder, tenantFolder } from "../support/program.ts";
import { crmIntegrations } from "../support/run-program.ts";
import { testTenant } from "../support/tenants.ts";

const one = testTenant(1);
const { path, file } = tenantFolder(one);

const infoLevel = ["--log-level", "info"];

type Line = Readonly<Record<string, unknown>>;

/** Parses every line of stderr as JSON. Drops `time` and replaces `durationMs` with its type, because both vary. */
function parseLog(stderr: string): readonly Line[] {
  const texts = stderr.split("\n").slice(0, -1);
  return texts.map((text) => {
    const { time, durationMs, ...line } = JSON.parse(text);
    assert.equal(new Date(time).toISOString(), time);
    return durationMs === undefined ? line : { ...line, durationMs: typeof durationMs };
  });
}

async function stopped({ child, ended }: Started): Promise<readonly Line[]> {
  child.kill("SIGTERM");
  const { code, stderr } = await ended;
  assert.equal(code, 0, stderr);
  return parseLog(stderr);
}

function call({ baseUrl }: Greeting, path: string, id: string, init: RequestInit = {}): Promise<Response> {
  const headers = { "x-api-key": one.key, "content-type": "application/json", "x-request-id": id };
  return fetch(baseUrl + path, { ...init, headers });
}

test("serve logs each request as a JSON line without keys, addresses, and values of queries and bodies", async (t) => {
  const program = await serving(t, "--fixtures", file, ...infoLevel);
  const secret = "ana%40private.example";
  await (await call(program.greeting, `/contacts?email=${secret}&limit=7`, "a")).text();
  await (await call(program.greeting, "/tasks?cursor=c0ffee", "b")).text();
  const body = JSON.stringify({ title: "Confidential" });
  const created = (await (await call(program.greeting, "/tasks", "c", { method: "POST", body })).json()) as {
    data: { id: string };
  };
  await (await call(program.greeting, `/tasks/${created.data.id}`, "d")).text();
  const lines = await stopped(program);
  const [{ keyId } = { keyId: undefined }] = lines.filter(({ requestId }) => requestId === "a");
  const request = (
    requestId: string,
    target: string,
    operation: string,
    status: number,
    code: string | null = null,
  ) => {
    const caller = { tenantId: one.id, integrationId: one.integration, keyId, userId: null };
    const rest = { level: "info", message: "request", durationMs: "number", replayed: false, dryRun: false };
    const [method = "", route = "", path = route] = target.split(" ");
    const sent = { method, route, path, source: "http", traceId: null };
    return { ...rest, ...caller, ...sent, requestId, operation, status, code };
  };
  assert.equal(typeof keyId, "string");
  assert.deepEqual(
    lines.filter(({ message }) => message === "request"),
    [
      request("a", "GET /contacts /contacts?email&limit", "listContacts", 200),
      request("b", "GET /tasks /tasks?cursor", "listTasks", 400, "invalid_cursor"),
      request("c", "POST /tasks", "createTask", 201),
      request("d", `GET /tasks/:id /tasks/${created.data.id}`, "getTask", 200),
    ],
  );
  const text = JSON.stringify(lines.filter(({ message }) => message === "request"));
  for (const sent of [one.key, "private.example", "c0ffee", "Confidential", "127.0.0.1"]) {
    assert.ok(!text.includes(sent), `the log shows ${sent}: ${text}`);
  }
});

test("--log-addresses adds the address of the client, and a traceparent header its trace ID", async (t) => {
  const program = await serving(t, "--fixtures", file, ...infoLevel, "--log-addresses");
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const headers = { "x-api-key": one.key, traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  await fetch(`${program.greeting.baseUrl}/me`, { headers });
  const [line] = (await stopped(program)).filter(({ message }) => message === "request");
  assert.deepEqual([line?.remoteAddress, line?.traceId], ["127.0.0.1", traceId]);
});

test("serve logs its URL and process ID, warnings about its variables and about root, and its stop", async (t) => {
  const program = await servingUnder(t, ["env", "CRM_RATE_LIMITS=9"], "--fixtures", file, ...infoLevel);
  const { url, pid } = program.greeting;
  const [unknown, serves, ...more] = await stopped(program);
  const message = 'CRM_RATE_LIMITS is not a setting (did you mean "CRM_RATE_LIMIT"?).';
  assert.deepEqual(unknown, { level: "warn", message });
  assert.deepEqual({ ...serves, version: "" }, { level: "info", message: "serving", url, pid, version: "" });
  const isRoot = process.getuid?.() === 0;
  assert.deepEqual(
    more.map(({ level, message }) => [level, String(message).split(";", 1)[0]]),
    [...(isRoot ? [["warn", "running as root"]] : []), ["info", "stopping"]],
  );
});

test("--log-level error logs a failed request with its stack, silent logs nothing, info logs all requests", async (t) => {
  const logFailure = async (level: string): Promise<readonly Line[]> => {
    const data = path(level);
    const program = await serving(t, "--data", data, "--fixtures", file, "--log-level", level);
    await (await call(program.greeting, "/me", "before")).text();
    renameSync(`${data}/crm.db`, `${data}/away.db`);
    const body = JSON.stringify({ title: "Call" });
    const response = await call(program.greeting, "/tasks", "broken", { method: "POST", body });
    assert.equal(response.status, 503, await response.text());
    const lines = await stopped(program);
    return lines.filter(({ requestId }) => requestId === "before" || requestId === "broken");
  };
  const [failure, ...others] = await logFailure("error");
  const { err, ...rest } = failure as { err: { type: string; message: string; stack: string } };
  assert.deepEqual(rest, { level: "error", message: "request failed", requestId: "broken" });
  assert.deepEqual([err.type, err.message], ["StorageUnavailable", `${path("error")}/crm.db was deleted. Restore it.`]);
  assert.match(err.stack, /\n {4}at /);
  assert.deepEqual(others, []);
  assert.deepEqual(await logFailure("silent"), []);
  const atInfo = await logFailure("info");
  assert.deepEqual(
    atInfo.map(({ requestId, level, status }) => [requestId, level, status]),
    [
      ["before", "info", 200],
      ["broken", "error", undefined],
      ["broken", "info", 503],
    ],
  );
});

test("serve responds to requests after the reader of its log closes the pipe", async (t) => {
  const program = await serving(t, "--fixtures", file, ...infoLevel);
  program.child.stderr.destroy();
  for (let times = 0; times < 20; times++) assert.equal((await call(program.greeting, "/me", "a")).status, 200);
  program.child.kill("SIGTERM");
  assert.equal((await program.ended).code, 0);
});

test("serve responds to requests if writes to its log fail because the disk is full", async (t) => {
  if (!existsSync("/dev/full")) return t.skip("no /dev/full here");
  const program = await servingUnder(t, ["sh", "-c", 'exec "$@" 2>/dev/full', "sh"], "--fixtures", file, ...infoLevel);
  for (let times = 0; times < 20; times++) assert.equal((await call(program.greeting, "/me", "a")).status, 200);
  program.child.kill("SIGTERM");
  assert.equal((await program.ended).code, 0);
});

test("serve --log-level rejects an unknown level with exit code 2 and lists the levels", async () => {
  const { code, stderr } = await crmIntegrations("serve", "--log-level", "loud");
  assert.equal(code, 2);
  assert.match(stderr, /--log-level.* must be one of: debug, info, warn, error, silent\./);
});
