import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, test } from "node:test";
import { serve } from "../lib/http/index.ts";
import { testCrm } from "./harness.ts";
import { exchange, open } from "./raw-http.ts";
import { testTenant } from "./tenants.ts";

const one = testTenant(1);
const { api } = await testCrm([one]);
const server = await serve(api, { host: "127.0.0.1", port: 0 });
after(async () => {
  await server.close();
  await api.close();
});

const tooMany =
  "The body comes in too many small chunks: allowed are 2,000, and one more for each 64 bytes. Send larger ones, or a Content-Length.";

function head(method: string, path: string, key = one.key): string {
  const lines = [`${method} /integrations/v1${path} HTTP/1.1`, "Host: a", `x-api-key: ${key}`];
  return [...lines, "Content-Type: application/json", "Transfer-Encoding: chunked", "\r\n"].join("\r\n");
}

const next = `GET /integrations/v1/me HTTP/1.1\r\nHost: a\r\nx-api-key: ${one.key}\r\nConnection: close\r\n\r\n`;

/** A task of this many letters, in chunks of so many bytes. */
function task(length: number, chunk: number): string {
  const frame = '{"title":"Call","description":""}';
  const body = frame.replace('""', `"${"x".repeat(length - frame.length)}"`);
  const chunks = body.match(new RegExp(`.{1,${chunk}}`, "g")) ?? [];
  return chunks.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("");
}

const end = "0\r\n\r\n";

test("a body may come in 2,000 chunks of a byte, and in any number of chunks of 64 bytes", async () => {
  for (const body of [task(2_000, 1), task(1_048_576, 64), task(100_000, 31)]) {
    const answers = await exchange(server.url, `${head("POST", "/tasks")}${body}${end}${next}`);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 200],
    );
  }
});

const refusal = { code: "bad_request", message: tooMany };

test("a body in more chunks is refused, and where it has come whole the connection serves the next request", async () => {
  for (const body of [task(2_100, 1), task(9_000, 4)]) {
    const following = `${head("POST", "/tasks")}${task(100, 1)}${end}${next}`;
    const [refused, ...more] = await exchange(server.url, `${head("POST", "/tasks")}${body}${end}${following}`);
    assert.deepEqual([refused?.status, JSON.parse(refused?.body ?? "").error], [413, refusal]);
    assert.deepEqual(
      more.map(({ status }) => status),
      [201, 200],
    );
  }
});

/** Sends chunks of a byte until it is cut off. Answers what it was told, and how much of what it sent was read. */
async function withoutEnd(start: string): Promise<{ readonly status: number | undefined; readonly read: number }> {
  const { socket, closed } = open(server.url, start);
  const accepted = new Promise<number>((resolve) => {
    const heard = (other: Socket): void => {
      if (other.remotePort !== socket.localPort) return;
      server.server.off("connection", heard);
      other.once("close", () => resolve(other.bytesRead));
    };
    server.server.on("connection", heard);
  });
  const more = (): void => {
    while (socket.writable && socket.write("1\r\nx\r\n".repeat(10_000))) {}
  };
  socket.on("drain", more);
  more();
  const [answer] = await closed;
  return { status: answer?.status, read: await accepted };
}

test("whoever sends chunks of a byte without end is answered, and no more of them are read", {
  timeout: 60_000,
}, async () => {
  const told = await Promise.all([
    withoutEnd(head("POST", "/tasks")),
    withoutEnd(head("POST", "/tasks", "wrong")),
    withoutEnd(head("GET", "/tasks")),
    withoutEnd(head("POST", "/nothing")),
  ]);
  assert.deepEqual(
    told.map(({ status }) => status),
    [413, 413, 413, 404],
  );
  for (const { read } of told) assert.ok(read < 140_000, `${read} bytes were read`);
});
