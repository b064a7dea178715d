import assert from "node:assert/strict";
import { test } from "node:test";
import { endpoints } from "../../../lib/endpoints/index.ts";
import type { Records } from "../../../lib/index.ts";
import { crmWith } from "../../support/admin.ts";
import { assets, consoleOrigin, one, openConsole, two } from "../../support/console.ts";
import { dataOf, verdict } from "../../support/responses.ts";
import { tenantFile } from "../../support/tenants.ts";

/** Every endpoint as a request of the console, with an ID that no record has. */
const requests = endpoints.map(({ access, method, path, name }) => ({
  name,
  method,
  path: `/api${access === "admin" ? "" : "/v1"}${path.replace(/:\w+/g, "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11")}`,
}));
const writes = requests.filter(({ method }) => method !== "GET");

test("every endpoint runs for the session with all scopes", async (t) => {
  const { send, signIn } = await openConsole(t);
  const cookie = await signIn();
  for (const { name, method, path } of requests) {
    const result = await send(method, path, { cookie });
    assert.ok([200, 201, 400, 404, 409, 422].includes(result.status), `${name}: ${result.status} ${result.text}`);
  }
});

test("every endpoint returns 401 without a session, and with a session token that was tampered with", async (t) => {
  const { send, signIn, token } = await openConsole(t);
  const cookie = await signIn();
  const middle = Math.floor(cookie.length / 2);
  const flipped = cookie[middle] === "A" ? "B" : "A";
  const tampered = [
    undefined,
    "crm_console=",
    `${cookie}A`,
    cookie.slice(0, -1),
    cookie.slice(0, middle) + flipped + cookie.slice(middle + 1),
    `crm_console=${await token()}`,
    `__Host-${cookie}`,
  ];
  for (const each of tampered)
    assert.equal(verdict(await send("GET", "/session", { cookie: each })), "401 unauthorized");
  for (const { name, method, path } of requests)
    assert.match(verdict(await send(method, path)), /^(401 unauthorized|429 rate_limited)$/, name);
});

test("API keys and admin tokens don't replace the session, and the session isn't accepted by the API", async (t) => {
  const { crm, send, signIn } = await openConsole(t);
  const credentials = { "x-api-key": one.key, authorization: `Bearer ${one.key}` };
  assert.equal(verdict(await send("GET", "/api/v1/me", { headers: credentials })), "401 unauthorized");
  const cookie = await signIn();
  const session = cookie.replace("crm_console=", "");
  const authorization = `Bearer ${session}`;
  assert.equal(verdict(await send("GET", "/api/v1/me", { headers: { authorization } })), "401 unauthorized");
  for (const url of ["/me", "http://crm.test/integrations/api-key"])
    assert.equal(verdict(await crm.send("GET", url, { headers: { authorization, cookie } })), "401 unauthorized");
  // The session wins over credentials that a gateway adds.
  const result = await send("GET", "/api/v1/accounts", { cookie, headers: { "x-api-key": two.key } });
  assert.deepEqual(
    dataOf<{ id: string }[]>(result).map(({ id }) => id),
    [one.account],
  );
  const admin = await send("GET", "/api/admin/users", { cookie, headers: { "x-api-key": two.key } });
  assert.equal(admin.status, 200, "an API key doesn't get through to the endpoints for admins");
});

test("every endpoint returns 403 once the user is disabled, archived or a member", async (t) => {
  const { crm, send, signIn } = await openConsole(t);
  const cookie = await signIn();
  // The API doesn't change the last active admin.
  const edit = async (change: Partial<Records["user"]>): Promise<void> => {
    const user = await crm.storage.get(one.id, "user", one.admin);
    assert.ok(user);
    await crm.storage.commit(one.id, crm.clock.now(), (updatedAt) => [
      { op: "update", kind: "user", record: { ...user, ...change, updatedAt }, expectedUpdatedAt: user.updatedAt },
    ]);
  };
  for (const [change, undo] of [
    [{ active: false }, { active: true }],
    [{ role: "member" }, { role: "admin" }],
  ] as const) {
    await edit(change);
    for (const { name, method, path } of requests) {
      crm.clock.advance(1_000);
      assert.equal(verdict(await send(method, path, { cookie })), "403 insufficient_scope", name);
    }
    assert.equal(verdict(await send("GET", "/session", { cookie })), "403 insufficient_scope");
    await edit(undo);
    assert.equal((await send("GET", "/api/v1/me", { cookie })).status, 200);
  }
  await edit({ archivedAt: crm.clock.now() });
  assert.equal(verdict(await send("GET", "/api/v1/me", { cookie })), "403 insufficient_scope");
});

test("a session reads nothing of another tenant and is invalid in another database", async (t) => {
  const { send, signIn } = await openConsole(t);
  const cookie = await signIn();
  assert.equal(verdict(await send("GET", `/api/v1/accounts/${two.account}`, { cookie })), "404 not_found");
  const query = `/api/v1/accounts?tenantId=${two.id}`;
  assert.equal(verdict(await send("GET", query, { cookie })), "422 invalid_reference: ?tenantId not_found");
  const other = await openConsole(t, {}, await crmWith(t, [tenantFile(one)]));
  const secret = new Uint8Array(32).fill(1);
  const withSecret = await openConsole(t, { secret }, other.crm);
  const otherCookie = await other.signIn();
  assert.equal((await other.send("GET", "/session", { cookie: otherCookie })).status, 200);
  assert.equal(verdict(await withSecret.send("GET", "/session", { cookie: otherCookie })), "401 unauthorized");
});

test("every write from another origin returns 403 and changes nothing", async (t) => {
  const { crm, send, signIn } = await openConsole(t);
  const cookie = await signIn();
  const all = [
    ...writes,
    { name: "signIn", method: "POST", path: "/session" },
    { name: "signOut", method: "DELETE", path: "/session" },
  ];
  const foreign = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "https://crm.test" },
    { origin: `${consoleOrigin}:8080` },
    { origin: undefined },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
  ];
  const version = await crm.storage.settingsVersion(one.id);
  for (const { name, method, path } of all)
    for (const headers of foreign) {
      const result = await send(method, path, { cookie, headers, body: { name: "Planted" } });
      assert.equal(verdict(result), "403 bad_request", `${name} ${JSON.stringify(headers)}`);
      assert.equal(result.headers.get("set-cookie"), null);
    }
  assert.equal(await crm.storage.settingsVersion(one.id), version);
  assert.equal((await crm.storage.list(one.id, "account", { includeArchived: true })).length, 2);
});

test("a read from another origin returns 403, and one from the address bar 200", async (t) => {
  const { send, signIn } = await openConsole(t);
  const cookie = await signIn();
  for (const path of ["/session", "/api/v1/me"]) {
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }, { origin: "null" }])
      assert.equal(verdict(await send("GET", path, { cookie, headers })), "403 bad_request");
    for (const headers of [{ "sec-fetch-site": "none" }, { "sec-fetch-site": undefined }, { origin: consoleOrigin }])
      assert.equal((await send("GET", path, { cookie, headers })).status, 200);
  }
});

test("a session is limited like an API key", async (t) => {
  const { send, signIn } = await openConsole(t);
  const cookie = await signIn();
  for (let left = 299; left >= 0; left--)
    assert.equal((await send("GET", "/api/v1/me", { cookie })).headers.get("x-ratelimit-remaining"), String(left));
  const result = await send("GET", "/api/v1/me", { cookie });
  assert.deepEqual([verdict(result), result.headers.get("retry-after")], ["429 rate_limited", "60"]);
});

test("a POST happens once and its Location leads to the record", async (t) => {
  const { send, signIn } = await openConsole(t, { assets });
  const cookie = await signIn();
  const headers = { "idempotency-key": "once" };
  const sent = { cookie, headers, body: { name: "Globex" } };
  const [first, second] = [await send("POST", "/api/v1/accounts", sent), await send("POST", "/api/v1/accounts", sent)];
  assert.deepEqual([first.status, second.status, second.text], [201, 201, first.text]);
  assert.equal(second.headers.get("idempotent-replayed"), "true");
  const url = new URL(first.headers.get("location") ?? "", `${consoleOrigin}/console/api/v1/accounts`);
  const read = await send("GET", url.pathname.replace("/console", ""), { cookie });
  assert.equal(read.status, 200, read.text);
});
