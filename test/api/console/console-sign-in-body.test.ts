import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { toNodeListener } from "../../../lib/http/index.ts";
import { consoleOrigin, openConsole, type TestConsole } from "../../support/console.ts";
import { errorOf, verdict } from "../../support/responses.ts";

const maxBytes = 4096;
const headers = { origin: consoleOrigin, "content-type": "application/json" };

/** A body with an invalid token and this length in bytes. */
function bodyOf(length: number): string {
  const body = JSON.stringify({ token: "" });
  return body.replace('""', `"${"x".repeat(length - body.length)}"`);
}

test("POST /console/session rejects a body over 4 KiB", async (t) => {
  const { send } = await openConsole(t);
  const fits = JSON.parse(bodyOf(maxBytes));
  assert.equal(verdict(await send("POST", "/session", { body: fits })), "401 unauthorized");
  const result = await send("POST", "/session", { body: JSON.parse(bodyOf(maxBytes + 1)) });
  assert.equal(verdict(result), "413 bad_request");
  assert.equal(errorOf(result).message, "The body is larger than 4 KiB (4096 bytes).");
  const authorization = "Bearer x";
  const withToken = await send("POST", "/session", { body: JSON.parse(bodyOf(5000)), headers: { authorization } });
  assert.equal(verdict(withToken), "413 bad_request");
});

test("POST /console/session rejects a longer body by its Content-Length, without reading it", async (t) => {
  const { console } = await openConsole(t);
  const init = { method: "POST", headers: { ...headers, "content-length": String(maxBytes + 1) }, body: "{}" };
  const request = new Request(`${consoleOrigin}/console/session`, init);
  assert.equal((await console.fetch(request)).status, 413);
  assert.equal(request.bodyUsed, false);
});

test("a Node server rejects a body over 4 KiB for POST /console/session, also without a Content-Length", async (t) => {
  const url = await listen(t, (await openConsole(t, { origin: consoleOrigin })).console);
  assert.equal(await post(url, bodyOf(maxBytes)), 401);
  for (const isChunked of [true, false]) assert.equal(await post(url, bodyOf(maxBytes + 1), isChunked), 413);
});

async function listen(t: TestContext, console: TestConsole["console"]): Promise<string> {
  const server = createServer(toNodeListener(console)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/console/session`;
}

async function post(url: string, body: string, isChunked = false): Promise<number> {
  const length = isChunked ? {} : { "content-length": Buffer.byteLength(body) };
  const request = httpRequest(url, { method: "POST", headers: { ...headers, ...length }, agent: false });
  request.end(body);
  const [response] = await once(request, "response");
  await json(response);
  return response.statusCode;
}
