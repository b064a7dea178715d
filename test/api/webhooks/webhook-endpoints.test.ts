import assert from "node:assert/strict";
import { test } from "node:test";
import { one, type Shown, two, unknown, verdict } from "../../support/crm.ts";
import { dataOf } from "../../support/responses.ts";
import { hook, secret, webhookCrm } from "../../support/webhooks.ts";

test("POST /webhooks shows the secret once, and a replay shows null", async () => {
  const crm = await webhookCrm();
  const post = () =>
    crm.send("POST", "/webhooks", { key: one.key, body: { url: hook }, headers: { "idempotency-key": "a" } });
  const created = dataOf<Shown>(await post(), 201);
  assert.match(String(created.secret), secret.pattern);
  assert.equal(dataOf<Shown>(await post(), 201).secret, null);
  const { secret: _, ...rest } = created;
  assert.deepEqual(await crm.readHook(created.id), rest);
  assert.deepEqual(dataOf(await crm.call("GET", "/webhooks")), [rest]);
  const expected = {
    integrationId: one.integration,
    url: hook,
    types: null,
    skipOwn: true,
    active: true,
    description: null,
  };
  const { createdAt: __, updatedAt: ___, id: ____, position, ...values } = rest as Shown & { position: object };
  assert.deepEqual(values, {
    ...expected,
    ...{ failingSince: null, failures: 0, nextAttemptAt: null, lastAttempt: null, lastSuccessAt: null },
    ...{ pausedReason: null, skipped: [] },
  });
  assert.deepEqual(Object.keys(position), ["time", "eventId"]);
});

test("a webhook is visible to its integration and the admins only", async () => {
  const crm = await webhookCrm({ "/integrations/1/scopes": ["webhooks:read", "webhooks:write"] });
  const { id } = await crm.createHook();
  const ofAdmin = dataOf<Shown>(await crm.admin("POST", "/admin/webhooks", { body: { url: hook } }), 201);
  assert.deepEqual([ofAdmin.integrationId, ofAdmin.skipOwn], [null, false]);
  for (const [key, hidden] of [
    [one.readKey, id],
    [two.key, id],
    [one.key, ofAdmin.id],
  ] as const) {
    for (const [method, path, body] of [
      ["GET", "", undefined],
      ["PATCH", "", { active: false }],
      ["PATCH", "", { active: 1 }],
      ["DELETE", "", undefined],
      ["POST", "/rotate-secret", {}],
      ["POST", "/test", {}],
      ["POST", "/redeliver", { eventId: unknown }],
    ] as const) {
      const result = await crm.send(method, `/webhooks/${hidden}${path}`, { key, ...(body && { body }) });
      assert.equal(
        result.status,
        body !== undefined && "active" in body && body.active === 1 ? 400 : 404,
        `${method} ${path}`,
      );
    }
    const list = dataOf<Shown[]>(await crm.send("GET", "/webhooks", { key }));
    assert.ok(!list.some((each) => each.id === hidden));
  }
  const all = dataOf<Shown[]>(await crm.admin("GET", "/admin/webhooks")).map((each) => each.id);
  assert.deepEqual(all.sort(), [id, ofAdmin.id].sort());
  assert.equal(crm.delivered.length, 0);
});

test("an archived webhook is returned with includeArchived=true, to its integration and the admins only", async () => {
  const crm = await webhookCrm({ "/integrations/1/scopes": ["webhooks:read", "webhooks:write"] });
  const { id } = await crm.createHook();
  const before = await crm.readHook(id);
  assert.equal((await crm.call("DELETE", `/webhooks/${id}`)).status, 204);
  assert.equal(verdict(await crm.call("GET", `/webhooks/${id}`)), "404 not_found");
  const path = `/webhooks/${id}?includeArchived=true`;
  const archived = dataOf<Shown>(await crm.call("GET", path));
  const { archivedAt, updatedAt } = archived;
  assert.equal(archivedAt, updatedAt);
  assert.deepEqual(archived, { ...before, archivedAt, updatedAt });
  assert.deepEqual(dataOf(await crm.admin("GET", `/admin${path}`)), archived);
  for (const key of [one.readKey, two.key])
    assert.equal(verdict(await crm.send("GET", path, { key })), "404 not_found");
});

test("an empty list of types is rejected, because it would match no event", async () => {
  const crm = await webhookCrm();
  const { id } = await crm.createHook();
  for (const result of [
    await crm.call("POST", "/webhooks", { url: hook, types: [] }),
    await crm.call("PATCH", `/webhooks/${id}`, { types: [] }),
  ]) {
    assert.equal(verdict(result), "400 validation_error: /types out_of_range");
    assert.match(result.text, /types must have an entry, or be null for all events\./);
  }
});

test("the scopes webhooks:read and webhooks:write are required", async () => {
  const crm = await webhookCrm({ "/integrations/1/scopes": ["webhooks:read"] });
  assert.equal(verdict(await crm.send("GET", "/webhooks", { key: one.bareKey })), "403 insufficient_scope");
  assert.equal((await crm.send("GET", "/webhooks", { key: one.readKey })).status, 200);
  const body = { url: hook };
  assert.equal(verdict(await crm.send("POST", "/webhooks", { key: one.readKey, body })), "403 insufficient_scope");
});

test("an integration and the admins have at most 20 webhooks each", async () => {
  const crm = await webhookCrm();
  for (let count = 0; count < 20; count++) await crm.createHook();
  const rejected = await crm.call("POST", "/webhooks", { url: hook });
  assert.equal(verdict(rejected), "409 conflict");
  assert.match(rejected.text, /"reason":"webhook_limit"/);
  const [first] = dataOf<Shown[]>(await crm.call("GET", "/webhooks"));
  assert.equal((await crm.call("DELETE", `/webhooks/${first?.id}`)).status, 204);
  await crm.createHook();
  assert.equal(verdict(await crm.admin("POST", `/admin/webhooks/${first?.id}/restore`)), "409 conflict");
  assert.equal((await crm.admin("POST", "/admin/webhooks", { body: { url: hook } })).status, 201);
});

test("an invalid URL returns 400 at /url", async () => {
  const crm = await webhookCrm();
  const urls = [
    "",
    "hooks.test",
    "ftp://a.test",
    "https://",
    "https://u@a.test",
    "https://@a.test",
    "https://u:p@a.test/",
  ];
  const more = [
    "https://a.test/#x",
    "https://a.test/#",

    "https://a b.test",
    `https://a.test/${"x".repeat(2_040)}`,
  ];
  for (const url of [...urls, ...more]) {
    const result = await crm.call("POST", "/webhooks", { url });
    assert.match(verdict(result), /^400 validation_error: \/url (invalid_format|too_long)$/, url);
  }
  const http = await crm.call("POST", "/webhooks", { url: "http://127.0.0.1/hook" });
  assert.equal(verdict(http), "422 validation_error: /url out_of_range");
  for (const url of ["https://a.test/x@y", "HTTPS://a.test:8443/x?y=1"]) await crm.createHook({ url });
});

test("a URL with a forbidden address returns 422, and the message names the address and --webhook-allow", async () => {
  const crm = await webhookCrm({}, { webhooks: { allow: ["10.20.0.0/16"] } });
  const result = await crm.call("POST", "/webhooks", { url: "https://10.1.2.3/hook" });
  assert.equal(verdict(result), "422 validation_error: /url out_of_range");
  assert.match(result.text, /10\.1\.2\.3.*--webhook-allow/);
  await crm.createHook({ url: "http://10.20.1.1:8080/hook" });
  const { id } = await crm.createHook({ url: "https://10.20.1.1/hook" });
  const moved = await crm.call("PATCH", `/webhooks/${id}`, { url: "https://127.0.0.1/hook" });
  assert.equal(verdict(moved), "422 validation_error: /url out_of_range");
});

test("all errors of a body are reported at once, and state fields are read-only", async () => {
  const crm = await webhookCrm();
  const body = { url: "x", types: ["task.done"], skipOwn: "yes", failures: 1, secret: "a", position: "latest" };
  const result = await crm.call("POST", "/webhooks", body);
  const problems = "/url invalid_format, /types/0 not_an_option, /skipOwn invalid_type";
  const { text } = result;
  assert.equal(result.status, 400);
  for (const problem of [
    ...problems.split(", ").map((each) => each.split(" ")[0]),
    "/failures",
    "/secret",
    "/position",
  ])
    assert.ok(text.includes(`"path":"${problem}"`), `${problem} in ${text}`);
  const { id, createdAt } = await crm.createHook();
  assert.equal((await crm.call("PATCH", `/webhooks/${id}`, { createdAt, integrationId: one.integration })).status, 200);
  const changed = await crm.call("PATCH", `/webhooks/${id}`, { integrationId: null, skipped: [] });
  assert.match(changed.text, /\/skipped.*read_only/);
  const types = await crm.call("PATCH", `/webhooks/${id}`, { types: ["customField.*"] });
  assert.equal(verdict(types), "400 validation_error: /types/0 not_an_option");
});

test("POST /webhooks/{id}/test sends one event of the type webhook.test and changes no state", async () => {
  const crm = await webhookCrm();
  const { id, secret: _, ...before } = await crm.createHook();
  crm.receivers.react = () => 500;
  const result = dataOf<Shown>(await crm.call("POST", `/webhooks/${id}/test`));
  assert.deepEqual([result.status, result.error, typeof result.durationMs], [500, null, "number"]);
  assert.deepEqual(crm.types(), ["webhook.test"]);
  crm.receivers.react = () => new TypeError("no connection to hooks.test?token=1");
  const failed = dataOf<Shown>(await crm.call("POST", `/webhooks/${id}/test`));
  assert.deepEqual([failed.status, failed.error], [null, "TypeError"]);
  assert.deepEqual(await crm.readHook(id), { id, ...before });
});

test("rotating a secret shows a new one, and messages have both signatures for 24 hours", async () => {
  const crm = await webhookCrm();
  const { id, secret: first } = await crm.createHook();
  const rotated = dataOf<Shown>(await crm.call("POST", `/webhooks/${id}/rotate-secret`));
  assert.match(String(rotated.secret), secret.pattern);
  assert.notEqual(rotated.secret, first);
  await crm.call("POST", `/webhooks/${id}/test`);
  crm.clock.advance(24 * 60 * 60_000);
  await crm.call("POST", `/webhooks/${id}/test`);
  const signatures = crm.delivered.map(({ headers }) => headers["webhook-signature"]?.split(" ").length);
  assert.deepEqual(signatures, [2, 1]);
});

test("secrets are in no event, no tenant file and no later response", async () => {
  const crm = await webhookCrm();
  const { id } = await crm.createHook();
  await crm.call("POST", `/webhooks/${id}/rotate-secret`);
  const stored = await crm.storage.get(one.id, "webhook", id);
  const events = await crm.storage.list(one.id, "event", {});
  assert.deepEqual(
    events.map(({ type }) => type),
    ["webhook.created", "webhook.secret_rotated"],
  );
  const history = dataOf<readonly Shown[]>(await crm.admin("GET", `/admin/webhooks/${id}/history`));
  assert.deepEqual(
    history.map(({ type, changed, before }) => [type, changed, before]),
    [
      ["webhook.secret_rotated", [], {}],
      ["webhook.created", null, null],
    ],
  );
  const texts = [
    JSON.stringify(events),
    (await crm.call("GET", "/webhooks")).text,
    (await crm.admin("GET", `/admin/webhooks/${id}`)).text,
    (await crm.admin("GET", `/admin/webhooks/${id}/history`)).text,
    (await crm.admin("GET", "/admin/events")).text,
  ];
  for (const value of [stored?.secret, stored?.previousSecret])
    for (const text of texts) assert.ok(value && !text.includes(value.slice(6, 20)), text.slice(0, 100));
});
