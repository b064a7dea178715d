import assert from "node:assert/strict";
import { after, test } from "node:test";
import { serve } from "../../../lib/http/index.ts";
import { testCrm } from "../../support/harness.ts";
import { exchange, open } from "../../support/raw-http.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { api, send } = await testCrm([one]);
const server = await serve(api, { host: "127.0.0.1", port: 0 });
after(async () => {
  await server.close();
  await api.close();
});

const base = "/integrations/v1";
const key = `x-api-key: ${one.key}`;
const id = "X-Request-Id: raw-1";
const last = "Connection: close";
const body = '{"title":"Call"}';
const chunks = `10\r\n${body}\r\n0\r\n\r\n`;
const post = [`POST ${base}/tasks HTTP/1.1`, "Host: a", key, id, "Content-Type: application/json"];

function lines(...head: string[]): string {
  return `${head.join("\r\n")}\r\n\r\n`;
}

/** Returns the status of each response, with the message of an error. */
async function statusesAndMessages(text: string): Promise<string[]> {
  return (await exchange(server.url, text)).map(({ status, body: sent, headers }) => {
    if (status < 400) return String(status);
    assert.equal(headers["content-length"], String(Buffer.byteLength(sent)));
    return `${status} ${JSON.parse(sent).error.message}`;
  });
}

async function tasks(): Promise<number> {
  return ((await send("GET", "/tasks", { key: one.key })).body as { data: unknown[] }).data.length;
}

const noAddress = "400 The URL or the Host header of the request is invalid.";
const onlyChunked = "400 Transfer-Encoding must be chunked.";
const noVersion = "400 The server supports HTTP/1.1 and HTTP/1.0.";
const noHttp = "400 The request isn't valid HTTP/1.1.";
const length = "Content-Length: 16";

/** Requests that create no task. */
const rejected: Readonly<Record<string, readonly [text: string, expected: string]>> = {
  "a user in the address": [
    lines(`POST http://u:p@b${base}/tasks HTTP/1.1`, "Host: a", key, length, last) + body,
    noAddress,
  ],
  "a user alone in the address of a GET": [lines(`GET http://u@b${base}/me HTTP/1.1`, "Host: a", key, last), noAddress],
  "two transfer codings": [lines(...post, "Transfer-Encoding: gzip, chunked", last) + chunks, onlyChunked],
  "a coding that is none": [lines(...post, "Transfer-Encoding: identity, chunked", last) + chunks, onlyChunked],
  "chunks in HTTP/1.0": [
    lines(`POST ${base}/tasks HTTP/1.0`, "Host: a", key, "Transfer-Encoding: chunked") + chunks,
    "400 An HTTP/1.0 request can't have Transfer-Encoding.",
  ],
  "HTTP/2.0 in the request line": [
    lines(`POST ${base}/tasks HTTP/2.0`, "Host: a", key, length, last) + body,
    noVersion,
  ],
  "no version": [lines(`GET ${base}/me`, "Host: a", key, last), noVersion],
  "two Hosts in HTTP/1.0": [
    lines(`GET ${base}/me HTTP/1.0`, "Host: a", "Host: b", key),
    "400 An HTTP/1.1 request must have exactly one Host header.",
  ],
  "over a thousand headers": [
    lines(`GET ${base}/me HTTP/1.1`, "Host: a", ...Array(1_000).fill("a: b"), last),
    "431 The URL and the headers have more than 16 KiB, or there are more than 1,000 headers.",
  ],
};

for (const [what, [text, expected]] of Object.entries(rejected)) {
  test(`${what} returns ${expected}`, async () => {
    const before = await tasks();
    assert.deepEqual(await statusesAndMessages(text), [expected]);
    assert.equal(await tasks(), before);
  });
}

test("a complete request gets its response before the error response to invalid data after it", async () => {
  const complete = lines(...post, length) + body;
  const faults: Record<string, string[]> = {
    "GARBAGE\r\n\r\n": ["201", noHttp],
    "}\r\n\r\n}\r\n\r\n": ["201", noHttp],
    [lines(`GET ${base}/me HTTP/1.1`, "Host: a", "Content-Length: -1")]: ["201", noHttp],
    [lines("CONNECT a:443 HTTP/1.1", "Host: a")]: ["201", "405 The server doesn't support CONNECT."],
    [lines(...post, "Expect: nonsense", length)]: ["201", "417 Expect must be 100-continue."],
    [`${complete}GARBAGE`]: ["201", "201", noHttp],
  };
  for (const [fault, expected] of Object.entries(faults))
    assert.deepEqual(await statusesAndMessages(complete + fault), expected, fault);
  assert.deepEqual(await statusesAndMessages(`${lines(...post, length, last)}${body}GARBAGE`), ["201"]);
});

test("every rejected target and Host header gets an error message", { timeout: 60_000 }, async () => {
  const hosts = [
    "a",
    "A:80",
    "a:0",
    "a:99999",
    "a:x",
    "a:",
    "127.1",
    "999.1.1.1",
    "0x7f.1",
    "[::1]:1",
    "[::01]",
    "[::1",
    "a..b",
  ];
  hosts.push(
    "a/b",
    "a\\b",
    "a?b",
    "a#b",
    "b@a",
    "a%2eb",
    "a%00",
    "%",
    "xn--a",
    "xn--",
    "\u00e4",
    "a b",
    "-",
    "_",
    ".",
    "*",
    "a,b",
  );
  const targets = [
    "/",
    `${base}/me`,
    "//",
    "/..",
    "/%",
    "/\\",
    "/?\\",
    '/"',
    "/{}",
    "/|^`",
    "/\u00e4",
    "/#a",
    "*",
    "a",
    "?a",
    "//b/c",
  ];
  targets.push(
    "http://a",
    "HTTP://a/",
    "http:///",
    "https://a:99999/",
    "http://a\\b/",
    "http://[/",
    "http:a",
    "ftp://a/",
    "a:b",
  );
  const statuses = new Set<string | undefined>();
  for (const host of hosts)
    for (const target of targets)
      for (const each of await statusesAndMessages(lines(`GET ${target} HTTP/1.1`, `Host: ${host}`, key, last)))
        statuses.add(each);
  assert.deepEqual([...statuses].sort(), ["200", noAddress, noHttp, "404 Unknown path."]);
});

test("Expect: 100-continue with a body over 1 MiB returns 413", async () => {
  const { closed } = open(server.url, lines(...post, "Expect: 100-continue", "Content-Length: 1048577", last));
  assert.deepEqual(
    (await closed).map(({ status }) => status),
    [413],
  );
});

test("a rejected connection is closed even if the client keeps it open", { timeout: 30_000 }, async () => {
  const { socket } = open(server.url, "GARBAGE\r\n\r\n");
  socket.allowHalfOpen = true;
  await new Promise((resolve) => socket.once("data", resolve));
  const connections = () =>
    new Promise<number>((resolve) => server.server.getConnections((_, count) => resolve(count)));
  while ((await connections()) > 0) await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
});
