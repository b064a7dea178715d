import assert from "node:assert/strict";
import { after, test } from "node:test";
import { testCrm } from "../../support/harness.ts";
import { exchange, open, type RawResponse } from "../../support/raw-http.ts";
import { testTenant } from "../../support/tenants.ts";

const globals = { Request: globalThis.Request, Response: globalThis.Response, fetch: globalThis.fetch };
const { serve } = await import("../../../lib/http/index.ts");

const one = testTenant(1);
const { api } = await testCrm([one]);
const server = await serve(api, { host: "127.0.0.1", port: 0 });
after(async () => {
  await server.close();
  await api.close();
});

const base = "/integrations/v1";
const id = "X-Request-Id: raw-1";
const key = `x-api-key: ${one.key}`;
const last = "Connection: close";
const json = "Content-Type: application/json";

/** A request of these lines; what comes after the empty line is the body. */
function lines(...head: string[]): string {
  return `${head.join("\r\n")}\r\n\r\n`;
}

function assertError({ status, headers, body }: RawResponse, expected: number, message: string): void {
  assert.deepEqual([status, JSON.parse(body)], [expected, { error: { code: "bad_request", message } }]);
  const { "cache-control": cache, "x-content-type-options": sniff, "content-type": type } = headers;
  assert.deepEqual([cache, sniff, type], ["no-store", "nosniff", "application/json"]);
  assert.match(headers["x-request-id"] ?? "", /^[A-Za-z0-9._:-]{1,128}$/);
  assert.equal(headers.connection, "close");
}

const noHttp = "The request isn't valid HTTP/1.1.";
const oneHost = "An HTTP/1.1 request must have exactly one Host header.";
const tooManyHeaders = "The URL and the headers have more than 16 KiB, or there are more than 1,000 headers.";
const noAddress = "The URL or the Host header of the request is invalid.";
const post = [`POST ${base}/tasks HTTP/1.1`, "Host: a", key, json];
const get = `GET ${base}/me HTTP/1.1`;

const rejected: readonly (readonly [what: string, text: string, status: number, message: string])[] = [
  ["a request line that is none", "NONSENSE\r\n\r\n", 400, noHttp],
  ["a TLS handshake", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, noHttp],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, noHttp],
  ["a space in a header's name", lines(get, "Host: a", "x y: z"), 400, noHttp],
  ["a NUL in a header", lines(get, "Host: a", "x: \0"), 400, noHttp],
  ["headers over 16 KiB", lines(get, "Host: a", `x: ${"x".repeat(17_000)}`), 431, tooManyHeaders],
  ["a path over 16 KiB", lines(`GET ${base}/${"x".repeat(17_000)} HTTP/1.1`, "Host: a"), 431, tooManyHeaders],
  ["no Host", lines(get, key), 400, oneHost],
  ["two Hosts", lines(get, "Host: a", "Host: a", key), 400, oneHost],
  ["an empty Host", lines(get, "Host:", key, last), 400, oneHost],
  ["a Host with a path", lines(get, "Host: a b/c", key, last), 400, noAddress],
  [
    "a size of chunk that is no number",
    `${lines(...post, "Transfer-Encoding: chunked")}zz\r\n{}\r\n0\r\n\r\n`,
    400,
    noHttp,
  ],
  ["a second chunk that is none", `${lines(...post, "Transfer-Encoding: chunked")}2\r\n{}\r\n-1\r\n\r\n`, 400, noHttp],
  [
    "a length and chunks",
    `${lines(...post, "Content-Length: 2", "Transfer-Encoding: chunked")}2\r\n{}\r\n0\r\n\r\n`,
    400,
    noHttp,
  ],
  ["two lengths", `${lines(...post, "Content-Length: 2", "Content-Length: 3")}{} `, 400, noHttp],
  ["a length that is none", `${lines(...post, "Content-Length: -2")}{}`, 400, noHttp],
  ["CONNECT", lines("CONNECT a.test:443 HTTP/1.1", "Host: a"), 405, "The server doesn't support CONNECT."],
  [
    "an expectation that is unknown",
    `${lines(...post, "Expect: nonsense", "Content-Length: 2")}{}`,
    417,
    "Expect must be 100-continue.",
  ],
];

for (const [what, text, status, message] of rejected) {
  test(`${what} returns ${status} in the error envelope`, async () => {
    const [response, ...more] = await exchange(server.url, text);
    assert.ok(response !== undefined, "there was no response");
    assertError(response, status, message);
    assert.deepEqual(more, []);
  });
}

test("POST /tasks with a truncated body returns 400 and creates nothing", async () => {
  const { socket, closed } = open(server.url, `${lines(...post, "Content-Length: 50")}{"title":"Cut off"}`);
  socket.end();
  const [response] = await closed;
  assert.ok(response !== undefined, "there was no response");
  assertError(response, 400, noHttp);
  const [list] = await exchange(server.url, lines(`GET ${base}/tasks HTTP/1.1`, "Host: a", key, last));
  assert.deepEqual(
    JSON.parse(list?.body ?? "").data.map(({ title }: { title: string }) => title),
    ["Call Carla"],
  );
});

test("an error response of the server has the X-Request-Id of the client if the headers could be parsed", async () => {
  const readable = {
    "two Hosts": lines(get, "Host: a", "Host: b", id, key),
    "no Host": lines(get, id, key),
    "an empty Host": lines(get, "Host:", id, key, last),
    "a Host with a path": lines(get, "Host: a b/c", id, key, last),
    "an address that is none": lines(`GET http:// HTTP/1.1`, "Host: a", id, last),
    CONNECT: lines("CONNECT a.test:443 HTTP/1.1", "Host: a", id),
    Expect: lines(...post, id, "Expect: nonsense", "Content-Length: 0"),
  };
  const given: Record<string, string | undefined> = {};
  for (const [what, text] of Object.entries(readable)) {
    given[what] = (await exchange(server.url, text))[0]?.headers["x-request-id"];
  }
  assert.deepEqual(given, Object.fromEntries(Object.keys(readable).map((what) => [what, "raw-1"])));
});

test("an absolute request target and any path prefix are accepted", async () => {
  const address = `GET http://elsewhere.test/eu/crm${base}/me HTTP/1.1`;
  const [absolute] = await exchange(server.url, lines(address, "Host: a", key, id, last));
  assert.deepEqual([absolute?.status, absolute?.headers["x-request-id"]], [200, "raw-1"]);
  for (const prefix of ["", "/eu", "/eu/crm", "/a%20b", "/integrations"]) {
    const head = [`POST ${prefix}${base}/tasks HTTP/1.1`, "Host: a", key, json, last, "Content-Length: 16"];
    const [created] = await exchange(server.url, `${lines(...head)}{"title":"Call"}`);
    const { data } = JSON.parse(created?.body ?? "");
    assert.deepEqual([created?.status, created?.headers.location], [201, `tasks/${data.id}`]);
  }
});

test("Location stays on the host of the request if the path starts with several slashes", async () => {
  for (const prefix of ["/", "//elsewhere.test", "/\\elsewhere.test"]) {
    const request = new Request(`http://crm.test${prefix}${base}/tasks`, {
      method: "POST",
      headers: { "x-api-key": one.key, "content-type": "application/json" },
      body: '{"title":"Call"}',
    });
    const location = (await api.fetch(request)).headers.get("location") ?? "/";
    assert.equal(new URL(location, "http://crm.test").host, "crm.test", location);
  }
});

for (const [how, head, body] of [
  ["announced", "Content-Length: 1048577", "x".repeat(1_048_577)],
  ["in chunks", "Transfer-Encoding: chunked", `${`10000\r\n${"x".repeat(65_536)}\r\n`.repeat(17)}0\r\n\r\n`],
] as const) {
  test(`after a body over 1 MiB, ${how}, the connection serves the next request`, async () => {
    const next = lines(get, "Host: a", key, last);
    const responses = await exchange(server.url, `${lines(...post, head)}${body}${next}`);
    assert.deepEqual(
      responses.map(({ status }) => status),
      [413, 200],
    );
    assert.equal(JSON.parse(responses[0]?.body ?? "").error.code, "bad_request");
  });
}

test("Expect: 100-continue gets 100 before the body is sent", async () => {
  const { socket, closed } = open(server.url, lines(...post, "Expect: 100-continue", "Content-Length: 16", last));
  socket.once("data", () => socket.write('{"title":"Call"}'));
  assert.deepEqual(
    (await closed).map(({ status }) => status),
    [100, 201],
  );
});

test("serve() leaves the global Request, Response and fetch unchanged", () => {
  const { Request, Response, fetch } = globalThis;
  assert.deepEqual({ Request, Response, fetch }, globals);
});
