import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { toNodeListener } from "../../../lib/http/index.ts";
import { tokenFor } from "../../support/admin.ts";
import { consoleOrigin, cookieOf, one, openConsole, type TestConsole, two } from "../../support/console.ts";
import { dataOf, errorOf, verdict } from "../../support/responses.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

test("POST /console/session with the token of a link opens a session", async (t) => {
  const { crm, send, token } = await openConsole(t);
  const result = await send("POST", "/session", { body: { token: await token() } });
  const expiresAt = new Date(crm.clock.now() + 12 * hourMs).toISOString();
  const { id } = dataOf(result);
  const session = {
    id,
    user: { id: one.admin, name: "Ana Admin", email: "ana@tenant.test" },
    tenant: { id: one.id, name: "Tenant" },
    expiresAt,
    passkeys: false,
  };
  assert.deepEqual(dataOf(result), session);
  assert.match(
    result.headers.get("set-cookie") ?? "",
    /^crm_console=[\w-]+; HttpOnly; SameSite=Strict; Path=\/; Max-Age=2592000$/,
  );
  assert.deepEqual(dataOf(await send("GET", "/session", { cookie: cookieOf(result) })), session);
});

test("POST /console/session over https sets a __Host- cookie with Secure and ignores one without the prefix", async (t) => {
  const origin = "https://crm.example.com";
  const { send, token } = await openConsole(t, { origin });
  const result = await send("POST", "/session", { body: { token: await token() }, headers: { origin } });
  assert.match(result.headers.get("set-cookie") ?? "", /^__Host-crm_console=.*; Path=\/; Max-Age=2592000; Secure$/);
  const cookie = cookieOf(result);
  assert.equal((await send("GET", "/session", { cookie })).status, 200);
  assert.equal(verdict(await send("GET", "/session", { cookie: cookie.replace("__Host-", "") })), "401 unauthorized");
});

test("a link signs in once, also after a restart and in another process", async (t) => {
  const { crm, send, token } = await openConsole(t);
  const body = { token: await token() };
  const other = await openConsole(t, {}, crm);
  const results = await Promise.all(
    [0, 1, 2, 3, 4, 5].map((n) => (n % 2 ? send : other.send)("POST", "/session", { body })),
  );
  assert.equal(results.filter(({ status }) => status === 200).length, 1);
  crm.clock.advance(9 * minuteMs);
  const again = await (await openConsole(t, {}, crm)).send("POST", "/session", { body });
  assert.equal(verdict(again), "401 unauthorized");
  assert.equal(errorOf(again).message, "This sign-in link was already used. Each link works once. Get a new one.");
  assert.equal(again.headers.get("set-cookie"), null);
});

test("a link expires after 10 minutes", async (t) => {
  const { crm, send, token } = await openConsole(t);
  const tokens = [await token(), await token()];
  crm.clock.advance(10 * minuteMs - 1);
  assert.equal((await send("POST", "/session", { body: { token: tokens[0] } })).status, 200);
  crm.clock.advance(1);
  const result = await send("POST", "/session", { body: { token: tokens[1] } });
  assert.equal(
    `${verdict(result)}, ${errorOf(result).message}`,
    "401 unauthorized, This sign-in link has expired. Get a new one.",
  );
});

test("POST /console/session accepts the token of an admin in the header Authorization", async (t) => {
  const { crm, send } = await openConsole(t);
  const signedIn = async (userId: string, body?: unknown) => {
    const authorization = `Bearer ${await tokenFor(crm, one.id, userId)}`;
    return send("POST", "/session", { headers: { authorization }, body });
  };
  const result = await signedIn(one.admin);
  assert.equal(dataOf<{ user: { id: string } }>(result).user.id, one.admin);
  assert.equal((await send("GET", "/api/v1/me", { cookie: cookieOf(result) })).status, 200);
  assert.equal((await signedIn(one.admin, {})).status, 200);
  assert.equal(verdict(await signedIn(one.admin, { token: "x" })), "400 validation_error: /token unknown_key");
  assert.equal(verdict(await signedIn(one.member)), "403 insufficient_scope");
  const headers = { authorization: `Bearer ${one.key}` };
  assert.equal(verdict(await send("POST", "/session", { headers })), "401 unauthorized");
});

test("createSignInLink rejects a user who isn't an active admin of the tenant", async (t) => {
  const { token } = await openConsole(t);
  for (const [tenantId, userId] of [
    [one.id, one.member],
    [one.id, one.inactive],
    [one.id, two.admin],
    [two.admin, one.admin],
  ] as const)
    await assert.rejects(token(tenantId, userId), { code: "insufficient_scope", status: 403 });
});

test("DELETE /console/session deletes the cookie", async (t) => {
  const { send, signIn } = await openConsole(t);
  for (const cookie of [await signIn(), undefined]) {
    const result = await send("DELETE", "/session", { cookie });
    assert.equal(result.status, 204);
    assert.match(
      result.headers.get("set-cookie") ?? "",
      /^crm_console=; HttpOnly; SameSite=Strict; Path=\/; Max-Age=0$/,
    );
  }
});

test("failed sign-ins are limited per client address", async (t) => {
  const { send, token } = await openConsole(t);
  const body = { token: "x" };
  for (let count = 0; count < 60; count++)
    assert.equal(verdict(await send("POST", "/session", { body })), "401 unauthorized");
  assert.equal(verdict(await send("POST", "/session", { body })), "429 rate_limited");
  assert.equal((await send("POST", "/session", { body: { token: await token() } })).status, 200);
  assert.equal(verdict(await send("GET", "/session")), "401 unauthorized");
});

test("a link of a user who is no admin at the moment stays unused", async (t) => {
  const { crm, send, token } = await openConsole(t);
  const body = { token: await token() };
  const setRole = async (role: "admin" | "member"): Promise<void> => {
    const user = await crm.storage.get(one.id, "user", one.admin);
    assert.ok(user);
    await crm.storage.commit(one.id, crm.clock.now(), (updatedAt) => [
      { op: "update", kind: "user", record: { ...user, role, updatedAt }, expectedUpdatedAt: user.updatedAt },
    ]);
  };
  await setRole("member");
  assert.equal(verdict(await send("POST", "/session", { body })), "403 insufficient_scope");
  await setRole("admin");
  assert.equal((await send("POST", "/session", { body })).status, 200);
});

const maxBytes = 4096;
const jsonHeaders = { origin: consoleOrigin, "content-type": "application/json" };

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
  const init = { method: "POST", headers: { ...jsonHeaders, "content-length": String(maxBytes + 1) }, body: "{}" };
  const request = new Request(`${consoleOrigin}/console/session`, init);
  assert.equal((await console.fetch(request)).status, 413);
  assert.equal(request.bodyUsed, false);
});

test("a Node server rejects a body over 4 KiB for POST /console/session, also without a Content-Length", async (t) => {
  const url = await listen(t, (await openConsole(t, { origin: consoleOrigin })).console);
  assert.equal(await postBody(url, bodyOf(maxBytes)), 401);
  for (const isChunked of [true, false]) assert.equal(await postBody(url, bodyOf(maxBytes + 1), isChunked), 413);
});

async function listen(t: TestContext, console: TestConsole["console"]): Promise<string> {
  const server = createServer(toNodeListener(console)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/console/session`;
}

async function postBody(url: string, body: string, isChunked = false): Promise<number> {
  const length = isChunked ? {} : { "content-length": Buffer.byteLength(body) };
  const request = httpRequest(url, { method: "POST", headers: { ...jsonHeaders, ...length }, agent: false });
  request.end(body);
  const [response] = await once(request, "response");
  await json(response);
  return response.statusCode;
}
