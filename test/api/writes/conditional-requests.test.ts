import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, type OperationCall, scopes, type UntypedOperations } from "../../../lib/index.ts";
import { dataOf, errorOf, one, openCrm, type Shown, two, unknown, verdict } from "../../support/crm.ts";
import type { Sent } from "../../support/harness.ts";

const { api, call, create, read, send, clock } = await openCrm();
const { key } = one;

const tagOf = ({ updatedAt }: Shown): string => `"${updatedAt}"`;
const task = async (): Promise<Shown> => dataOf(await call("POST", "/tasks", { title: "Call" }), 201);
const sendTo = (method: string, { id }: Shown, headers: Record<string, string>, sent: Sent = {}) => {
  clock.advance(60_000);
  return send(method, `/tasks/${id}`, { key, headers, ...sent });
};
const patch = (record: Shown, ifMatch: string, body: unknown) =>
  sendTo("PATCH", record, { "if-match": ifMatch }, { body });

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

test("If-Match on a request that doesn't check versions returns 400 and writes nothing", async () => {
  const record = await task();
  const headers = { "if-match": tagOf(record) };
  const body = { name: "Ada", externalId: "if-match" };
  const requests = [
    ["/contacts/upsert?matchBy=externalId", body],
    ["/contacts", body],
    ["/contacts/batch", { operations: [{ op: "create", data: body }] }],
    [`/tasks/${record.id}/restore`, undefined],
  ] as const;
  for (const [path, sent] of requests) {
    const result = await send("POST", path, { key, headers, ...(sent === undefined ? {} : { body: sent }) });
    assert.equal(verdict(result), "400 validation_error: If-Match invalid_format", path);
    assert.match(errorOf(result).message, /^If-Match isn't supported by this operation\. Only PATCH and DELETE/);
  }
  assert.deepEqual(dataOf(await call("GET", "/contacts?externalId=if-match")), []);
  assert.equal((await send("GET", `/tasks/${record.id}`, { key, headers: { "if-match": '"x"' } })).status, 200);
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
  const app = api.app({ compress: true });
  const made: Shown = dataOf(await call("POST", "/tasks", { title: "Long", description: "x".repeat(2_000) }), 201);
  const url = `http://crm.test/integrations/v1/tasks/${made.id}`;
  const fetchTask = (headers: Record<string, string>, init: RequestInit = {}) =>
    app.fetch(new Request(url, { ...init, headers: { "x-api-key": key, "accept-encoding": "gzip", ...headers } }));
  const read = await fetchTask({});
  const etag = read.headers.get("etag") ?? "";
  assert.deepEqual([read.headers.get("content-encoding"), etag], ["gzip", `W/${tagOf(made)}`]);
  assert.equal((await fetchTask({ "if-none-match": etag })).status, 304);
  assert.equal((await fetchTask({ "if-match": etag }, { method: "DELETE" })).status, 204);
});

test("operations without HTTP take ifMatch and ifNoneMatch, and return the ETag", async () => {
  const caller = { tenantId: one.id, scopes };
  const run = (name: string, more: Omit<OperationCall, "caller">) =>
    ((api.operations as unknown as UntypedOperations)[name] ?? assert.fail(name))({ caller, ...more });
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

for (const [path, body, change] of [
  ["/accounts", { name: "Old" }, { phone: "1" }],
  ["/contacts", { name: "Old" }, { phone: "1" }],
  ["/opportunities", { name: "Old" }, { status: "won" }],
  ["/tasks", { title: "Old" }, { status: "completed" }],
] as const) {
  test(`PATCH ${path} returns 409 stale for a record as it was before another change`, async () => {
    const old = await create(path, body);
    const url = `${path}/${old.id}`;
    const changed = dataOf(await call("PATCH", url, change));
    const stale = await call("PATCH", url, { ...old, ...body });
    assert.equal(stale.status, 409);
    const { code, details } = errorOf(stale);
    assert.deepEqual(
      { code, details },
      { code: "conflict", details: { reason: "stale", updatedAt: changed.updatedAt } },
    );
    assert.deepEqual(await read(url), changed);
    assert.equal(verdict(await call("PATCH", url, changed)), "200");
  });
}

test("PATCH returns 400 read_only for other changed read-only fields", async () => {
  const { id } = await create("/tasks", { title: "Call", status: "completed" });
  const body = { status: "canceled", createdAt: "2020-01-01T00:00:00Z", closedAt: null };
  const rejected = await call("PATCH", `/tasks/${id}`, body);
  assert.equal(verdict(rejected), "400 validation_error: /closedAt read_only, /createdAt read_only");
});

test("PATCH reports a malformed updatedAt as a format error", async () => {
  const { id } = await create("/tasks", { title: "Call" });
  const rejected = await call("PATCH", `/tasks/${id}`, { updatedAt: "yesterday" });
  assert.equal(verdict(rejected), "400 validation_error: /updatedAt invalid_format");
});
