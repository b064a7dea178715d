import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { serve } from "../../../lib/http/index.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { assertShort } from "../../support/described.ts";
import { testCrm } from "../../support/harness.ts";
import { open, type RawResponse } from "../../support/raw-http.ts";
import { testTenant } from "../../support/tenants.ts";
import { watch } from "../database-state.ts";
import { figures } from "../size.ts";
import { framingCases } from "./socket-framing.ts";
import { headCases } from "./socket-heads.ts";
import { body, chunked, chunks, requestsOf, type SocketCase } from "./socket-request.ts";
import { targetCases } from "./socket-targets.ts";

const folder = mkdtempSync(join(tmpdir(), "crm-sockets-"));
const file = join(folder, "crm.db");
const one = testTenant(1);
const rate = { accepted: true, limit: 300, remaining: 299, resetMs: 60_000, retryMs: 0 };
const storage = sqliteStorage({ file });
const { api, clock, send } = await testCrm([one], { storage, rateLimiter: { take: async () => rate } });
const { server, url, close } = await serve(api, { host: "127.0.0.1", port: 0 });
const database = watch(file);
after(async () => {
  server.closeAllConnections();
  await close();
  database.close();
  await api.close();
  rmSync(folder, { recursive: true });
});

const requests = requestsOf(one.key);
const cases = [...framingCases(requests), ...headCases(requests), ...targetCases(requests, one.task)];
const deadline = { timeout: 30_000 };
const tasksBefore = await tasks();
let madeInAll = 0;

/** Checks the envelope and the common headers of an error. Returns its status and code. */
function verdictOf({ status, headers, body: text }: RawResponse): string {
  if (status === 100) return "100";
  const { "cache-control": cache, "x-content-type-options": sniff } = headers;
  assert.deepEqual([cache, sniff], ["no-store", "nosniff"]);
  assert.match(headers["x-request-id"] ?? "", /^[A-Za-z0-9._:-]{1,128}$/);
  if (status < 400 || text === "") return String(status);
  assert.equal(headers["content-type"], "application/json");
  assertShort({ status, text });
  const { error, ...nothing } = JSON.parse(text);
  const { code, message, details = {}, ...more } = error;
  assert.deepEqual([nothing, more, typeof message, typeof details], [{}, {}, "string", "object"]);
  return `${status} ${code}`;
}

async function tasks(): Promise<number> {
  const { body: page } = await send("GET", "/tasks?limit=200", { key: one.key });
  return (page as { data: unknown[] }).data.length;
}

/** Runs a function and checks that each 201 created a task and nothing else was stored. */
async function storesOnlyTasks(attempt: () => Promise<readonly RawResponse[]>): Promise<string[]> {
  clock.advance(60_000);
  const [before, digest] = [await tasks(), database.digest()];
  const responses = (await attempt()).map(verdictOf);
  const made = responses.filter((response) => response === "201").length;
  madeInAll += made;
  if (made === 0) assert.equal(database.digest(), digest, "something was stored");
  else assert.equal(await tasks(), before + made);
  return responses;
}

for (const [name, sent, ...expected] of cases as readonly SocketCase[]) {
  test(`${name}: ${expected.slice(0, 5).join(", ")}`, deadline, async () => {
    assert.deepEqual(await storesOnlyTasks(() => open(url, sent).closed), expected);
  });
  // Longer ones would take a minute, and only one of their values is long.
  if (sent.length > 300) continue;
  test(`${name}, byte by byte`, deadline, async () => {
    const responses = await storesOnlyTasks(async () => {
      const { socket, closed } = open(url, "");
      socket.setNoDelay(true);
      for (const byte of sent) await new Promise((resolve) => socket.write(byte, "latin1", resolve));
      return closed;
    });
    assert.deepEqual(responses, expected);
  });
}

const whole = requests.post(body, `Content-Length: ${body.length}`);
const head = whole.indexOf("\r\n\r\n");
const offsets = {
  "the method": 2,
  "the space after it": 5,
  "the address": 20,
  "the version": 36,
  "the first line": whole.indexOf("\r\n") + 1,
  "the second line": whole.indexOf("\r\n") + 2,
  "a name": whole.indexOf("Host") + 2,
  "a value": whole.indexOf("x-api-key") + 20,
  "the empty line": head + 3,
  "the head": head + 4,
  "the body": head + 10,
  "all but a byte": whole.length - 1,
};

/** Sends a part of a request, then ends or destroys the connection. */
async function sendPart(text: string, how: "end" | "destroy"): Promise<readonly RawResponse[]> {
  const { socket, closed } = open(url, "");
  await new Promise((resolve) => socket.write(text, "latin1", resolve));
  socket[how]();
  return closed;
}

for (const [part, at] of Object.entries(offsets)) {
  test(`a client that stops after ${part} gets 400`, deadline, async () => {
    assert.deepEqual(await storesOnlyTasks(() => sendPart(whole.slice(0, at), "end")), ["400 bad_request"]);
  });
  test(`a client that disconnects after ${part} stores nothing`, deadline, async () => {
    assert.deepEqual(await storesOnlyTasks(() => sendPart(whole.slice(0, at), "destroy")), []);
  });
}

const inChunks = requests.post(chunks, chunked);
const start = inChunks.indexOf("\r\n\r\n") + 4;

for (let at = start; at < inChunks.length; at++) {
  test(`a client that stops after ${at - start} bytes of chunks gets 400`, deadline, async () => {
    assert.deepEqual(await storesOnlyTasks(() => sendPart(inChunks.slice(0, at), "end")), ["400 bad_request"]);
    assert.deepEqual(await storesOnlyTasks(() => sendPart(inChunks.slice(0, at), "destroy")), []);
  });
}

test("an idle connection is closed without a response", deadline, async () => {
  for (const text of ["", "\r\n", "\r\n\r\n"]) {
    assert.deepEqual(await storesOnlyTasks(() => sendPart(text, "end")), []);
  }
});

test("a client that half-closes its connection after the request gets a response", deadline, async () => {
  assert.deepEqual(await storesOnlyTasks(() => sendPart(whole + whole, "end")), ["201", "201"]);
});

test("two hundred aborted requests don't block the next one", deadline, async () => {
  const responses = await storesOnlyTasks(async () => {
    const cut = (_: unknown, index: number) => sendPart(whole.slice(0, index % whole.length), "destroy");
    const none = await Promise.all(Array.from({ length: 200 }, cut));
    return [...none.flat(), ...(await open(url, requests.get()).closed)];
  });
  assert.deepEqual(responses, ["200"]);
});

test(
  "with arbitrary bytes on the socket, each 201 creates one task, nothing else is stored, and the server keeps serving",
  deadline,
  async (t) => {
    assert.deepEqual((await open(url, requests.get()).closed).map(verdictOf), ["200"]);
    assert.equal(await tasks(), tasksBefore + madeInAll);
    const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
    while ((await connections()) > 0) await new Promise((resolve) => setImmediate(resolve));
    const early = 2 * (Object.keys(offsets).length + inChunks.length - start) + 5;
    assert.ok(cases.length >= 100, `${cases.length} cases`);
    figures(t, "bad-input-sockets", { "wire cases": cases.length, "connections that end early": early });
  },
);
