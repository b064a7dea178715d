import assert from "node:assert/strict";
import { test } from "node:test";
import { endpoints } from "../../../lib/endpoints/index.ts";
import { type Kind, models } from "../../../lib/model/kinds.ts";
import { smallest } from "../../prove/isolation/requests.ts";
import { one, openConsole, two } from "../../support/console.ts";
import { dataOf, errorOf, verdict } from "../../support/responses.ts";

const hourMs = 60 * 60 * 1000;

/** Every endpoint as a valid request of the console for a record. */
function requestsFor(id: string) {
  return endpoints.flatMap((endpoint) =>
    smallest(endpoint, one.id).map(({ query, body }) => {
      const { access, method, path, name } = endpoint;
      const filled = `${path.replace(/:\w+/g, id)}?${new URLSearchParams(query)}`;
      return { name, method, path: `/api${access === "admin" ? "" : "/v1"}${filled}`, body, hasId: path.includes(":") };
    }),
  );
}

async function idsOf({ storage }: Awaited<ReturnType<typeof openConsole>>["crm"], tenantId: string) {
  const kinds = (Object.keys(models) as Kind[]).filter((kind) => kind !== "idempotencyRecord");
  const lists = await Promise.all(kinds.map((kind) => storage.list(tenantId, kind, { includeArchived: true })));
  return lists.flat().map(({ id }) => id);
}

test("every endpoint returns 401 for an expired session and changes nothing", async (t) => {
  const { crm, send, signIn } = await openConsole(t);
  const cookie = await signIn();
  const before = await idsOf(crm, one.id);
  crm.clock.advance(12 * hourMs);
  for (const { name, method, path, body } of requestsFor(one.account)) {
    crm.clock.advance(60_000);
    assert.equal(verdict(await send(method, path, { cookie, body })), "401 unauthorized", name);
  }
  assert.deepEqual(await idsOf(crm, one.id), before);
});

test("every endpoint with an ID returns 404 for any record of another tenant", async (t) => {
  const { crm, send, signIn } = await openConsole(t);
  const cookie = await signIn();
  const [before, version] = [await idsOf(crm, two.id), await crm.storage.settingsVersion(two.id)];
  assert.ok(before.length > 10);
  for (const id of before)
    for (const { name, method, path, body, hasId } of requestsFor(id)) {
      if (!hasId) continue;
      crm.clock.advance(1_000);
      const result = await send(method, path, { cookie, body });
      assert.equal(result.status, 404, `${name} ${id}: ${result.text}`);
    }
  assert.deepEqual([await idsOf(crm, two.id), await crm.storage.settingsVersion(two.id)], [before, version]);
});

test("no endpoint returns anything of another tenant", async (t) => {
  const { crm, send, signIn } = await openConsole(t);
  const cookie = await signIn();
  const foreign = await idsOf(crm, two.id);
  for (const { name, method, path, body } of requestsFor(one.account)) {
    if (method !== "GET") continue;
    const { text } = await send(method, path, { cookie, body });
    assert.deepEqual(
      foreign.filter((id) => text.includes(id)),
      [],
      name,
    );
  }
});

const header = "console-session";
const pageOf = ({ id, admin }: typeof one) => ({ [header]: `${id}/${admin}` });

test("no endpoint runs for a page that was loaded for another tenant", async (t) => {
  const { crm, send, signIn } = await openConsole(t);
  const cookie = await signIn(two.id, two.admin);
  const [version, clock] = [await crm.storage.settingsVersion(two.id), crm.clock.now()];
  for (const { name, method, path, body } of requestsFor("0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11")) {
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
