import assert from "node:assert/strict";
import { after, test } from "node:test";
import { serve } from "../lib/http/index.ts";
import { errorOf, verdict } from "./answers.ts";
import { type Result, testCrm } from "./harness.ts";
import { exchange, open, type RawAnswer } from "./raw-http.ts";
import { testTenant } from "./tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
const { api, send } = await testCrm([one, two]);
const server = await serve(api, { host: "127.0.0.1", port: 0 });
after(async () => {
  await server.close();
  await api.close();
});

const path = "/integrations/v1/tasks";
const last = "Connection: close";
const chunked = "Transfer-Encoding: chunked";

function head(...lines: string[]): string {
  const all = [...lines, "Host: a", `x-api-key: ${one.key}`, "Content-Type: application/json"];
  return `${all.join("\r\n")}\r\n\r\n`;
}

/** A GET with this body, as fetch would never send it. */
async function getWith(body: string): Promise<Result> {
  const lines = [`GET ${path} HTTP/1.1`, `Content-Length: ${Buffer.byteLength(body)}`, last];
  return resultOf((await exchange(server.url, head(...lines) + body))[0]);
}

function resultOf(answer: RawAnswer | undefined): Result {
  const { status, headers, body } = answer ?? assert.fail("there was no answer");
  return { status, headers: new Headers(headers), text: body, body: JSON.parse(body) };
}

const sentences: readonly (readonly [body: string, answer: string])[] = [
  ['{"status":"pending"}', "400 validation_error: /status unknown_key"],
  ['{"tenantId":7}', "400 validation_error: /tenantId invalid_type"],
  [`{"tenantId":"${two.id}"}`, "422 invalid_reference: /tenantId not_found"],
  ['{"tenantId":"nobody"}', "422 invalid_reference: /tenantId not_found"],
  ["{", "400 bad_request"],
  ["null", "400 bad_request"],
  ["[]", "400 bad_request"],
  ['{"tenantId":1,"tenantId":2}', "400 bad_request"],
  [" ", "400 bad_request"],
];

for (const [body, answer] of sentences) {
  test(`a GET and a DELETE with the body ${body} are refused, ${answer}, and nothing is archived`, async () => {
    assert.equal(verdict(await getWith(body)), answer);
    const { key, task } = one;
    assert.equal(verdict(await send("DELETE", `/tasks/${task}`, { key, raw: body })), answer);
    assert.equal(verdict(await send("GET", `/tasks/${task}`, { key })), "200");
  });
}

test("no body, an empty one, an empty object and the key's own tenant are let through", async () => {
  const { key, id } = one;
  for (const body of ["", "{}", `{"tenantId":"${id.toUpperCase()}"}`]) {
    assert.equal(verdict(await getWith(body)), "200", body);
    const made = await send("POST", "/tasks", { key, body: { title: "Call" } });
    const { data } = made.body as { data: { id: string } };
    assert.equal(verdict(await send("DELETE", `/tasks/${data.id}`, { key, raw: body })), "204", body);
  }
});

test("a body of a DELETE must be JSON, and may be 1 MiB long", async () => {
  const { key, task } = one;
  const headers = { "content-type": "text/plain" };
  assert.equal(verdict(await send("DELETE", `/tasks/${task}`, { key, raw: "x", headers })), "415 bad_request");
  const long = await send("DELETE", `/tasks/${task}`, { key, raw: " ".repeat(1_048_577) });
  assert.equal(verdict(long), "413 bad_request");
  const announced = { "content-length": "1048577" };
  assert.equal(verdict(await send("DELETE", `/tasks/${task}`, { headers: announced })), "413 bad_request");
});

test("after a GET with a body over 1 MiB, however it comes, the connection serves the next request", async () => {
  const long = "x".repeat(1_048_577);
  const announced = `${head(`GET ${path} HTTP/1.1`, "Content-Length: 1048577")}${long}`;
  const pieces = `${`10000\r\n${"x".repeat(65_536)}\r\n`.repeat(17)}0\r\n\r\n`;
  for (const first of [announced, `${head(`GET ${path} HTTP/1.1`, chunked)}${pieces}`]) {
    const answers = await exchange(server.url, first + head(`GET ${path} HTTP/1.1`, last));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [413, 200],
    );
    assert.equal(errorOf(resultOf(answers[0])).message, "The body is larger than 1 MiB (1048576 bytes).");
  }
});

test("chunks that hold nothing are no body, as some gateways send them with every GET", async () => {
  const [answer] = await exchange(server.url, `${head(`GET ${path} HTTP/1.1`, chunked, last)}0\r\n\r\n`);
  assert.equal(answer?.status, 200);
});

test("what follows a GET with a body is the next request, not more of the first", async () => {
  const body = '{"status":"pending"}';
  const first = `${head(`GET ${path} HTTP/1.1`, `Content-Length: ${body.length}`)}${body}`;
  const answers = await exchange(server.url, first + head(`GET ${path}?limit=0 HTTP/1.1`, last));
  assert.deepEqual(
    answers.map((answer) => verdict(resultOf(answer))),
    ["400 validation_error: /status unknown_key", "400 validation_error: ?limit out_of_range"],
  );
});

test("a GET whose body is cut off is answered in JSON", async () => {
  const { socket, closed } = open(server.url, `${head(`GET ${path} HTTP/1.1`, "Content-Length: 50")}{}`);
  socket.end();
  assert.equal(verdict(resultOf((await closed)[0])), "400 bad_request");
});
