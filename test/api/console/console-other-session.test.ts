import assert from "node:assert/strict";
import { test } from "node:test";
import { endpoints } from "../../../lib/endpoints/index.ts";
import { one, openConsole, two } from "../../support/console.ts";
import { dataOf, errorOf, verdict } from "../../support/responses.ts";

const header = "console-session";
const pageOf = ({ id, admin }: typeof one) => ({ [header]: `${id}/${admin}` });

/** Every endpoint as a request of the console, with an ID that no record has. */
const requests = endpoints.map(({ access, method, path, name }) => ({
  name,
  method,
  path: `/api${access === "admin" ? "" : "/v1"}${path.replace(/:\w+/g, "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11")}`,
}));

test("no endpoint runs for a page that was loaded for another tenant", async (t) => {
  const { crm, send, signIn } = await openConsole(t);
  const cookie = await signIn(two.id, two.admin);
  const [version, clock] = [await crm.storage.settingsVersion(two.id), crm.clock.now()];
  for (const { name, method, path } of requests) {
    const body = method === "GET" ? undefined : { name: "Planted" };
    const result = await send(method, path, { cookie, body, headers: pageOf(one) });
    assert.equal(verdict(result), "409 conflict", name);
    assert.ok(!result.text.includes(two.account), name);
  }
  assert.equal(await crm.storage.settingsVersion(two.id), version);
  assert.deepEqual(await crm.storage.list(two.id, "account", { updatedSince: clock }), []);
});

test("the error for another session names its tenant and its user", async (t) => {
  const { send, signIn } = await openConsole(t);
  const cookie = await signIn(two.id, two.admin);
  const session = dataOf(await send("GET", "/session", { cookie }));
  for (const [method, path] of [
    ["POST", "/api/v1/accounts"],
    ["GET", "/session"],
    ["DELETE", "/session"],
  ] as const) {
    const result = await send(method, path, { cookie, headers: pageOf(one) });
    assert.equal(verdict(result), "409 conflict");
    assert.deepEqual(errorOf(result).details, { reason: "other_session", session });
    assert.equal(errorOf(result).message, "You signed in to Tenant as Ana Admin in another tab. Reload the page.");
    assert.equal(result.headers.get("set-cookie"), null);
  }
});

test("another user of the same tenant is another session", async (t) => {
  const { send, signIn } = await openConsole(t);
  const cookie = await signIn();
  const headers = { [header]: `${one.id}/${one.member}` };
  assert.equal(verdict(await send("GET", "/api/v1/me", { cookie, headers })), "409 conflict");
});

test("requests of the page of the session, without the header or without a session aren't affected", async (t) => {
  const { crm, send, signIn } = await openConsole(t);
  const cookie = await signIn();
  for (const path of ["/session", "/api/v1/me", "/api/admin/users"]) {
    for (const headers of [pageOf(one), {}]) assert.equal((await send("GET", path, { cookie, headers })).status, 200);
    assert.equal(verdict(await send("GET", path, { headers: pageOf(one) })), "401 unauthorized");
    assert.equal(verdict(await send("GET", path, { cookie: `${cookie}A`, headers: pageOf(one) })), "401 unauthorized");
  }
  assert.equal((await send("DELETE", "/session", { cookie, headers: pageOf(one) })).status, 204);
  assert.equal((await send("DELETE", "/session", { headers: pageOf(one) })).status, 204);
  // The API itself has no such rule.
  const headers = { authorization: `Bearer ${one.key}`, ...pageOf(two) };
  assert.equal((await crm.send("GET", "/me", { headers })).status, 200);
});
