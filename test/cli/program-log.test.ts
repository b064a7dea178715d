import assert from "node:assert/strict";
import { existsSync, renameSync } from "node:fs";
import { after, test } from "node:test";
import { type Greeting, type Started, serving, servingUnder, start, tenantFolder } from "../support/program.ts";
import { testTenant } from "../support/tenants.ts";

const one = testTenant(1);
const { path, file, remove } = tenantFolder(one);
after(remove);

const loud = ["--log-level", "info"];

type Line = Readonly<Record<string, unknown>>;

/** What it wrote on stderr, which must be JSON to the last line. Times are only looked at. */
function linesOf(stderr: string): readonly Line[] {
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
  return linesOf(stderr);
}

function call({ baseUrl }: Greeting, path: string, id: string, init: RequestInit = {}): Promise<Response> {
  const headers = { "x-api-key": one.key, "content-type": "application/json", "x-request-id": id };
  return fetch(baseUrl + path, { ...init, headers });
}

test("each request is a line of JSON on stderr, with nothing of what was sent", async (t) => {
  const program = await serving(t, "--fixtures", file, ...loud);
  const secret = "ana%40private.example";
  await (await call(program.greeting, `/contacts?email=${secret}&limit=7`, "a")).text();
  await (await call(program.greeting, "/tasks?cursor=c0ffee", "b")).text();
  const body = JSON.stringify({ title: "Confidential" });
  const made = (await (await call(program.greeting, "/tasks", "c", { method: "POST", body })).json()) as {
    data: { id: string };
  };
  await (await call(program.greeting, `/tasks/${made.data.id}`, "d")).text();
  const lines = await stopped(program);
  const [{ keyId } = { keyId: undefined }] = lines.filter(({ requestId }) => requestId === "a");
  const request = (requestId: string, operation: string, status: number, code: string | null = null) => {
    const caller = { tenantId: one.id, integrationId: one.integration, keyId, userId: null };
    const rest = { level: "info", message: "request", durationMs: "number", replayed: false };
    return { ...rest, ...caller, requestId, operation, status, code };
  };
  assert.equal(typeof keyId, "string");
  assert.deepEqual(
    lines.filter(({ message }) => message === "request"),
    [
      request("a", "listContacts", 200),
      request("b", "listTasks", 400, "invalid_cursor"),
      request("c", "createTask", 201),
      request("d", "getTask", 200),
    ],
  );
  const text = JSON.stringify(lines);
  for (const sent of [one.key, "private.example", "c0ffee", "Confidential", made.data.id]) {
    assert.ok(!text.includes(sent), `the log shows ${sent}: ${text}`);
  }
});

test("it says where it serves, that it should not as root, and that it stops", async (t) => {
  const program = await serving(t, "--fixtures", file, ...loud);
  const { url, pid } = program.greeting;
  const [serves, ...more] = await stopped(program);
  assert.deepEqual({ ...serves, version: "" }, { level: "info", message: "serving", url, pid, version: "" });
  const isRoot = process.getuid?.() === 0;
  assert.deepEqual(
    more.map(({ level, message }) => [level, String(message).split(";", 1)[0]]),
    [...(isRoot ? [["warn", "running as root"]] : []), ["info", "stopping"]],
  );
});

test("a fault of ours is logged with its stack at every level but silent, a request only at info", async (t) => {
  const faulty = async (level: string): Promise<readonly Line[]> => {
    const data = path(level);
    const program = await serving(t, "--data", data, "--fixtures", file, "--log-level", level);
    await (await call(program.greeting, "/me", "before")).text();
    renameSync(`${data}/crm.db`, `${data}/away.db`);
    const body = JSON.stringify({ title: "Call" });
    const answer = await call(program.greeting, "/tasks", "broken", { method: "POST", body });
    assert.equal(answer.status, 503, await answer.text());
    const lines = await stopped(program);
    return lines.filter(({ requestId }) => requestId === "before" || requestId === "broken");
  };
  const [fault, ...none] = await faulty("error");
  const { err, ...rest } = fault as { err: { type: string; message: string; stack: string } };
  assert.deepEqual(rest, { level: "error", message: "request failed", requestId: "broken" });
  assert.deepEqual([err.type, err.message], ["StorageUnavailable", `${path("error")}/crm.db was deleted. Restore it.`]);
  assert.match(err.stack, /\n {4}at /);
  assert.deepEqual(none, []);
  assert.deepEqual(await faulty("silent"), []);
  const atInfo = await faulty("info");
  assert.deepEqual(
    atInfo.map(({ requestId, level, status }) => [requestId, level, status]),
    [
      ["before", "info", 200],
      ["broken", "error", undefined],
      ["broken", "info", 503],
    ],
  );
});

test("when nobody reads the log any more, requests are answered all the same", async (t) => {
  const program = await serving(t, "--fixtures", file, ...loud);
  program.child.stderr.destroy();
  for (let times = 0; times < 20; times++) assert.equal((await call(program.greeting, "/me", "a")).status, 200);
  program.child.kill("SIGTERM");
  assert.equal((await program.ended).code, 0);
});

test("when the log can take nothing, such as a file on a full disk, requests are answered all the same", async (t) => {
  if (!existsSync("/dev/full")) return t.skip("no /dev/full here");
  const program = await servingUnder(t, ["sh", "-c", 'exec "$@" 2>/dev/full', "sh"], "--fixtures", file, ...loud);
  for (let times = 0; times < 20; times++) assert.equal((await call(program.greeting, "/me", "a")).status, 200);
  program.child.kill("SIGTERM");
  assert.equal((await program.ended).code, 0);
});

test("a log level that does not exist is wrong use", async (t) => {
  const { code, stderr } = await start(t, "serve", "--log-level", "loud").ended;
  assert.equal(code, 2);
  assert.match(stderr, /--log-level.* must be one of: debug, info, warn, error, silent\./);
});
