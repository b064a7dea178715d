import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { tenantFolder } from "../support/program.ts";
import { serveInProcess } from "../support/run-program.ts";
import { testTenant } from "../support/tenants.ts";

const { file } = tenantFolder(testTenant(1));

/** Sends this text and nothing more. Returns what the server sends until it closes the connection. */
function readAll(url: string, sent: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(sent);
  return text(socket);
}

test("--headers-seconds, --request-seconds and --keep-alive-seconds limit connections", {
  timeout: 60_000,
}, async (t) => {
  const short = ["--headers-seconds", "1", "--request-seconds", "2", "--keep-alive-seconds", "3"];
  const { greeting } = await serveInProcess(t, "--fixtures", file, ...short);
  const key = greeting.keys[0]?.key;
  const response = await fetch(`${greeting.url}/healthz`);
  assert.equal(response.headers.get("keep-alive"), "timeout=3");
  const [head, path] = ["Host: crm.test\r\n", "/integrations/v1/tasks"];
  const started = await Promise.all([
    readAll(greeting.url, `GET ${path} HTTP/1.1\r\n`),
    readAll(greeting.url, `POST ${path} HTTP/1.1\r\n${head}x-api-key: ${key}\r\nContent-Length: 10\r\n\r\n{`),
    readAll(greeting.url, `GET /healthz HTTP/1.1\r\n${head}\r\n`),
  ]);
  assert.deepEqual(
    started.map((each) => each.split("\r\n", 1)[0]),
    ["HTTP/1.1 408 Request Timeout", "HTTP/1.1 408 Request Timeout", "HTTP/1.1 200 OK"],
  );
});
