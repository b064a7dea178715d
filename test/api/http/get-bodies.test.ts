import assert from "node:assert/strict";
import { after, test } from "node:test";
import { serve } from "../../../lib/http/index.ts";
import { type Result, testCrm } from "../../support/harness.ts";
import { exchange, open, type RawResponse } from "../../support/raw-http.ts";
import { errorOf, verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

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

function resultOf(response: RawResponse | undefined): Result {
  const { status, headers, body } = response ?? assert.fail("there was no response");
  return { status, headers: new Headers(headers), text: body, body: JSON.parse(body) };
}

const bodies: readonly (readonly [body: string, response: string])[] = [
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

for (const [body, response] of bodies) {
  test(`GET and DELETE with the body ${body} return ${response} and archive nothing`, async () => {
    assert.equal(verdict(await getWith(body)), response);
    const { key, task } = one;
    assert.equal(verdict(await send("DELETE", `/tasks/${task}`, { key, raw: body })), response);
    assert.equal(verdict(await send("GET", `/tasks/${task}`, { key })), "200");
  });
}

test("GET accepts no body, an empty body, an empty object and the tenantId of the API key", async () => {
  const { key, id } = one;
  for (const body of ["", "{}", `{"tenantId":"${id.toUpperCase()}"}`]) {
    assert.equal(verdict(await getWith(body)), "200", body);
    const created = await send("POST", "/tasks", { key, body: { title: "Call" } });
    const { data } = created.body as { data: { id: string } };
    assert.equal(verdict(await send("DELETE", `/tasks/${data.id}`, { key, raw: body })), "204", body);
  }
});

test("DELETE accepts a JSON body of up to 1 MiB", async () => {
  const { key, task } = one;
  const headers = { "content-type": "text/plain" };
  assert.equal(verdict(await send("DELETE", `/tasks/${task}`, { key, raw: "x", headers })), "415 bad_request");
  const long = await send("DELETE", `/tasks/${task}`, { key, raw: " ".repeat(1_048_577) });
  assert.equal(verdict(long), "413 bad_request");
  const announced = { "content-length": "1048577" };
  assert.equal(verdict(await send("DELETE", `/tasks/${task}`, { headers: announced })), "413 bad_request");
});

test("after a GET with a body over 1 MiB, with or without Content-Length, the connection serves the next request", async () => {
  const long = "x".repeat(1_048_577);
  const announced = `${head(`GET ${path} HTTP/1.1`, "Content-Length: 1048577")}${long}`;
  const pieces = `${`10000\r\n${"x".repeat(65_536)}\r\n`.repeat(17)}0\r\n\r\n`;
  for (const first of [announced, `${head(`GET ${path} HTTP/1.1`, chunked)}${pieces}`]) {
    const responses = await exchange(server.url, first + head(`GET ${path} HTTP/1.1`, last));
    assert.deepEqual(
      responses.map(({ status }) => status),
      [413, 200],
    );
    assert.equal(errorOf(resultOf(responses[0])).message, "The body is larger than 1 MiB (1048576 bytes).");
  }
});

test("GET with an empty chunked body is accepted, as some gateways send it", async () => {
  const [response] = await exchange(server.url, `${head(`GET ${path} HTTP/1.1`, chunked, last)}0\r\n\r\n`);
  assert.equal(response?.status, 200);
});

test("data after a GET with a body is parsed as the next request", async () => {
  const body = '{"status":"pending"}';
  const first = `${head(`GET ${path} HTTP/1.1`, `Content-Length: ${body.length}`)}${body}`;
  const responses = await exchange(server.url, first + head(`GET ${path}?limit=0 HTTP/1.1`, last));
  assert.deepEqual(
    responses.map((response) => verdict(resultOf(response))),
    ["400 validation_error: /status unknown_key", "400 validation_error: ?limit out_of_range"],
  );
});

test("GET with a truncated body returns 400 in the error envelope", async () => {
  const { socket, closed } = open(server.url, `${head(`GET ${path} HTTP/1.1`, "Content-Length: 50")}{}`);
  socket.end();
  assert.equal(verdict(resultOf((await closed)[0])), "400 bad_request");
});
