import assert from "node:assert/strict";
import { after, test } from "node:test";
import { serve } from "../../../lib/http/index.ts";
import { testCrm } from "../../support/harness.ts";
import { exchange, open } from "../../support/raw-http.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { api } = await testCrm([one]);
const server = await serve(api, { host: "127.0.0.1", port: 0 });
after(async () => {
  await server.close();
  await api.close();
});

const tooMany =
  "The body has too many small chunks. The limit is 1,000 chunks, plus one per 64 bytes. Send larger chunks, or a Content-Length.";

function head(method: string, path: string, key = one.key): string {
  const lines = [`${method} /integrations/v1${path} HTTP/1.1`, "Host: a", `x-api-key: ${key}`];
  return [...lines, "Content-Type: application/json", "Transfer-Encoding: chunked", "\r\n"].join("\r\n");
}

const next = `GET /integrations/v1/me HTTP/1.1\r\nHost: a\r\nx-api-key: ${one.key}\r\nConnection: close\r\n\r\n`;

/** A task of this many characters, padded with spaces, in chunks of this many bytes. */
function task(length: number, chunk: number): string {
  const body = '{"title":"Call"}'.padEnd(length);
  const chunks = body.match(new RegExp(`.{1,${chunk}}`, "g")) ?? [];
  return chunks.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("");
}

const end = "0\r\n\r\n";

test("POST accepts 1,000 chunks of one byte and any number of chunks of 64 bytes", async () => {
  for (const body of [task(1_000, 1), task(1_048_576, 64), task(60_000, 32)]) {
    const responses = await exchange(server.url, `${head("POST", "/tasks")}${body}${end}${next}`);
    assert.deepEqual(
      responses.map(({ status }) => status),
      [201, 200],
    );
  }
});

const tooManyError = { code: "bad_request", message: tooMany };

test("POST with more small chunks returns 413 and closes the connection", async () => {
  for (const body of [task(1_100, 1), task(6_000, 4)]) {
    const [response, ...more] = await exchange(server.url, `${head("POST", "/tasks")}${body}${end}${next}`);
    assert.deepEqual([response?.status, JSON.parse(response?.body ?? "").error], [413, tooManyError]);
    assert.deepEqual([response?.headers.connection, more], ["close", []]);
  }
});

/** Sends one-byte chunks until the server closes the connection. Returns the status of the response. */
async function sendWithoutEnd(start: string): Promise<number | undefined> {
  const { socket, closed } = open(server.url, start);
  const more = (): void => {
    while (socket.writable && socket.write("1\r\nx\r\n".repeat(10_000))) {}
  };
  socket.on("drain", more);
  more();
  const [response] = await closed;
  return response?.status;
}

test("a body of one-byte chunks without end gets a response, and the connection is closed", {
  timeout: 60_000,
}, async () => {
  const statuses = await Promise.all([
    sendWithoutEnd(head("POST", "/tasks")),
    sendWithoutEnd(head("POST", "/tasks", "wrong")),
    sendWithoutEnd(head("GET", "/tasks")),
    sendWithoutEnd(head("POST", "/nothing")),
  ]);
  assert.deepEqual(statuses, [413, 401, 413, 404]);
});
