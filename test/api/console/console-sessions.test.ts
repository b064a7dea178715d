import assert from "node:assert/strict";
import { test } from "node:test";
import { endpoints } from "../../../lib/endpoints/index.ts";
import { type Kind, models } from "../../../lib/model/kinds.ts";
import { smallest } from "../../prove/isolation/requests.ts";
import { one, openConsole, two } from "../../support/console.ts";
import { verdict } from "../../support/responses.ts";

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
  crm.clock.advance(8 * hourMs);
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
