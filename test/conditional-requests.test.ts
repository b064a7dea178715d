import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { ApiError, crmApp, type OperationCall, scopes } from "../lib/index.ts";
import { dataOf, errorOf, one, openCrm, type Shown, sales, two, unknown, verdict } from "./crm.ts";
import type { Result, Sent } from "./harness.ts";

const { api, call, send, clock } = await openCrm();
const { key } = one;

const etagOf = ({ headers }: Result): string | null => headers.get("etag");
const tagOf = ({ updatedAt }: Shown): string => `"${updatedAt}"`;
const task = async (): Promise<Shown> => dataOf(await call("POST", "/tasks", { title: "Call" }), 201);
const sendTo = (method: string, { id }: Shown, headers: Record<string, string>, sent: Sent = {}) => {
  clock.advance(60_000);
  return send(method, `/tasks/${id}`, { key, headers, ...sent });
};
const patch = (record: Shown, ifMatch: string, body: unknown) =>
  sendTo("PATCH", record, { "if-match": ifMatch }, { body });

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

test("PATCH and DELETE succeed if If-Match has the ETag or is *", async () => {
  let record = await task();
  for (const header of ["*", '"a", $', "W/$", "$"]) {
    const title = `Call ${header}`;
    record = dataOf(await patch(record, header.replace("$", tagOf(record)), { title }));
    assert.equal(record.title, title);
  }
  assert.equal(verdict(await sendTo("DELETE", record, { "if-match": tagOf(record) })), "204");
});

test("PATCH and DELETE return 412 conflict with the current updatedAt if the record has changed", async () => {
  const read = await task();
  const changed: Shown = dataOf(await call("PATCH", `/tasks/${read.id}`, { title: "Changed" }));
  const results = [
    await patch(read, tagOf(read), { title: "Lost" }),
    await patch(read, tagOf(read), {}),
    await patch(read, `"a", W/${tagOf(read)}`, { title: "Lost" }),
    await sendTo("DELETE", read, { "if-match": tagOf(read) }),
  ];
  for (const result of results) {
    assert.equal(verdict(result), "412 conflict");
    assert.deepEqual(errorOf(result), {
      code: "conflict",
      message: "The task has changed since the version in If-Match. Read it again, then repeat the change.",
      details: { reason: "stale", updatedAt: changed.updatedAt },
    });
    assert.equal(result.headers.get("x-ratelimit-remaining"), "299");
  }
  assert.deepEqual(dataOf(await call("GET", `/tasks/${read.id}`)), changed);
});

test("a malformed If-Match returns 400 together with the other errors", async () => {
  const record = await task();
  for (const header of [record.updatedAt, "", `${tagOf(record)} "a"`, "*, *", '"a', "W/*", ","]) {
    const problem = "400 validation_error: If-Match invalid_format";
    assert.equal(verdict(await patch(record, header, { title: "Lost" })), problem, header);
    assert.equal(verdict(await sendTo("DELETE", record, { "if-match": header })), problem, header);
  }
  const both = await patch(record, "a", { title: 1 });
  assert.equal(verdict(both), "400 validation_error: /title invalid_type, If-Match invalid_format");
  assert.deepEqual(dataOf(await call("GET", `/tasks/${record.id}`)), record);
});

test("a long malformed If-Match is rejected in linear time", async () => {
  const record = await task();
  const header = `${'"a" '.repeat(3_000)}x`;
  assert.equal(verdict(await patch(record, header, {})), "400 validation_error: If-Match invalid_format");
});

test("existence is checked before If-Match, and If-Match before the rules", async () => {
  const record = await task();
  const stale = '"2020-01-01T00:00:00.000Z"';
  for (const header of [stale, "*"]) {
    assert.equal(verdict(await patch({ ...record, id: unknown }, header, {})), "404 not_found");
    assert.equal(verdict(await patch({ ...record, id: two.task }, header, {})), "404 not_found");
    assert.equal(verdict(await sendTo("DELETE", { ...record, id: two.task }, { "if-match": header })), "404 not_found");
  }
  const body = { assignedTo: unknown };
  assert.equal(verdict(await patch(record, stale, body)), "412 conflict");
  assert.equal(verdict(await patch(record, tagOf(record), body)), "422 invalid_reference: /assignedTo not_found");
  assert.equal(verdict(await patch(record, stale, { title: 1 })), "400 validation_error: /title invalid_type");
});

test("one of several concurrent PATCHes with the same If-Match succeeds, and the others return 412", async () => {
  const record = await task();
  const headers = { "if-match": tagOf(record) };
  const changes = Array.from({ length: 8 }, (_, index) =>
    send("PATCH", `/tasks/${record.id}`, { key, headers, body: { title: `Change ${index}` } }),
  );
  const results = (await Promise.all(changes)).map(verdict);
  assert.deepEqual(results.toSorted(), ["200", ...Array(7).fill("412 conflict")]);
});

test("the version that a compressed response names works in If-Match and If-None-Match", async () => {
  const app = crmApp(api, { compress: true });
  const made: Shown = dataOf(await call("POST", "/tasks", { title: "Long", description: "x".repeat(2_000) }), 201);
  const url = `http://crm.test/integrations/v1/tasks/${made.id}`;
  const ask = (headers: Record<string, string>, init: RequestInit = {}) =>
    app.fetch(new Request(url, { ...init, headers: { "x-api-key": key, "accept-encoding": "gzip", ...headers } }));
  const read = await ask({});
  const etag = read.headers.get("etag") ?? "";
  assert.deepEqual([read.headers.get("content-encoding"), etag], ["gzip", `W/${tagOf(made)}`]);
  assert.equal((await ask({ "if-none-match": etag })).status, 304);
  assert.equal((await ask({ "if-match": etag }, { method: "DELETE" })).status, 204);
});

test("operations without HTTP take ifMatch and ifNoneMatch, and return the ETag", async () => {
  const caller = { tenantId: one.id, scopes };
  const run = (name: string, more: Omit<OperationCall, "caller">) =>
    (api.operations[name] ?? assert.fail(name))({ caller, ...more });
  const { body, headers } = await run("createTask", { body: { title: "Call" } });
  const { data } = body as { data: Shown };
  const etag = headers.ETag ?? "";
  assert.equal(etag, tagOf(data));
  const params = { id: data.id };
  const read = await run("getTask", { params, ifNoneMatch: etag });
  assert.deepEqual([read.status, read.body, read.headers], [304, null, { ETag: etag }]);
  const changed = await run("updateTask", { params, ifMatch: etag, body: { title: "Changed" } });
  assert.notEqual(changed.headers.ETag, etag);
  const rejected = (status: number) => (error: unknown) => error instanceof ApiError && error.status === status;
  await assert.rejects(run("archiveTask", { params, ifMatch: etag }), rejected(412));
  await assert.rejects(run("archiveTask", { params, ifMatch: 5 as never }), rejected(400));
});
