import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { dataOf, one, openCrm, type Shown, sales, verdict } from "../../support/crm.ts";
import type { Result, Sent } from "../../support/harness.ts";

const { call, send, clock } = await openCrm();
const { key } = one;

const etagOf = ({ headers }: Result): string | null => headers.get("etag");
const tagOf = ({ updatedAt }: Shown): string => `"${updatedAt}"`;
const task = async (): Promise<Shown> => dataOf(await call("POST", "/tasks", { title: "Call" }), 201);
const sendTo = (method: string, { id }: Shown, headers: Record<string, string>, sent: Sent = {}) => {
  clock.advance(60_000);
  return send(method, `/tasks/${id}`, { key, headers, ...sent });
};

const bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "/accounts": { name: "Nordlys", customFields: { segment: "SMB" } },
  "/contacts": { name: "Ida" },
  "/opportunities": { name: "Grinders", stageId: sales.lead },
  "/tasks": { title: "Call" },
};

for (const [path, body] of Object.entries(bodies)) {
  test(`GET, POST, PATCH and restore of ${path} return the updatedAt of the record as ETag`, async () => {
    const made = await call("POST", path, body);
    const { id } = dataOf<Shown>(made, 201);
    const record = `${path}/${id}`;
    const name = path === "/tasks" ? { title: "Other" } : { name: "Other" };
    const read = [made, await call("GET", record), await call("PATCH", record, name), await call("PATCH", record, {})];
    assert.equal(verdict(await call("DELETE", record)), "204");
    for (const result of [...read, await call("POST", `${record}/restore`), await call("POST", `${record}/restore`)]) {
      const { updatedAt } = dataOf<Shown>(result, result.status);
      assert.match(updatedAt, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
      assert.equal(etagOf(result), `"${updatedAt}"`);
    }
  });
}

test("lists, other endpoints and DELETE return no ETag", async () => {
  const record = await task();
  const results = [await call("GET", "/tasks"), await call("GET", "/me"), await call("DELETE", `/tasks/${record.id}`)];
  assert.deepEqual(results.map(etagOf), [null, null, null]);
});

test("a text of the record that looks like updatedAt doesn't change the ETag", async () => {
  const text = '"updatedAt":"2020-01-01T00:00:00.000Z"}';
  const made = await call("POST", "/tasks", { title: text, description: `},${text}` });
  assert.equal(etagOf(made), tagOf(dataOf(made, 201)));
  assert.equal(etagOf(await call("GET", `/tasks/${dataOf<Shown>(made, 201).id}`)), etagOf(made));
});

test("a custom field named updatedAt doesn't change the ETag", async () => {
  const field = { entity: "account", key: "updatedAt", label: "Updated", type: "text" };
  const crm = await openCrm({ "/customFields/0": field });
  const made = await crm.call("POST", "/accounts", { name: "A", customFields: { updatedAt: "2020-01-01" } });
  const { id, updatedAt, customFields } = dataOf<Shown>(made, 201);
  assert.deepEqual(customFields, { updatedAt: "2020-01-01" });
  for (const result of [made, await crm.call("GET", `/accounts/${id}`)]) assert.equal(etagOf(result), `"${updatedAt}"`);
});

test("a replay returns the ETag of the first response", async () => {
  const headers = { "idempotency-key": randomUUID() };
  const first = await send("POST", "/tasks", { key, headers, body: { title: "Once" } });
  const again = await send("POST", "/tasks", { key, headers, body: { title: "Once" } });
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.equal(etagOf(again), etagOf(first));
  assert.notEqual(etagOf(again), null);
});

test("GET and HEAD return 304 without a body if If-None-Match has the ETag", async () => {
  const record = await task();
  const tag = tagOf(record);
  for (const header of [tag, `W/${tag}`, "*", ` ${tag} `, `"a", W/"b,c" ,${tag}`]) {
    for (const method of ["GET", "HEAD"]) {
      const result = await sendTo(method, record, { "if-none-match": header });
      assert.deepEqual([result.status, result.text, etagOf(result)], [304, "", tag], `${method} ${header}`);
      const { headers } = result;
      assert.equal(headers.get("cache-control"), "no-store");
      assert.equal(headers.get("x-ratelimit-remaining"), "299");
      assert.equal(headers.get("content-type"), null);
      assert.notEqual(headers.get("x-request-id"), null);
    }
  }
});

test("GET returns the record if If-None-Match has other ETags or isn't valid", async () => {
  const record = await task();
  for (const header of ['"2020-01-01T00:00:00.000Z"', '""', record.updatedAt, "nonsense", `${tagOf(record)} "a"`]) {
    assert.deepEqual(dataOf(await sendTo("GET", record, { "if-none-match": header })), record, header);
  }
  await call("PATCH", `/tasks/${record.id}`, { title: "Changed" });
  const changed = await sendTo("GET", record, { "if-none-match": tagOf(record) });
  assert.equal(dataOf(changed).title, "Changed");
});

test("If-None-Match has no effect on lists and writes", async () => {
  const record = await task();
  const headers = { "if-none-match": "*" };
  assert.equal((await send("GET", "/tasks", { key, headers })).status, 200);
  assert.equal((await send("POST", "/tasks", { key, headers, body: { title: "Call" } })).status, 201);
  assert.equal((await sendTo("PATCH", record, headers, { body: { title: "Other" } })).status, 200);
  assert.equal((await sendTo("DELETE", record, headers)).status, 204);
});
