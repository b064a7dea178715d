import assert from "node:assert/strict";
import { after, test } from "node:test";
import { requestProblems } from "../../openapi/request-problems.ts";
import { type Exchange, responseProblems } from "../../openapi/response-problems.ts";
import { openApiReader } from "../../support/described.ts";
import { send as sendTo, sendUnchecked, testCrm } from "../../support/harness.ts";
import { testTenant } from "../../support/tenants.ts";

const tenant = testTenant(1);
const { api, send } = await testCrm([tenant]);
after(() => api.close());
const check = (each: Exchange) => responseProblems(openApiReader(), each);

const url = `http://crm.test/some/prefix/integrations/v1/tasks/${tenant.task}`;

/** Sends a request and returns the exchange. */
async function exchange(method = "GET", to = url, key: string | null = tenant.key): Promise<Exchange> {
  return { method, url: to, ...(await sendUnchecked(api, method, to, { key })) };
}

/** Returns the exchange with a changed response body. */
async function withBody(change: (body: Tree) => unknown): Promise<Exchange> {
  const real = await exchange();
  return { ...real, text: JSON.stringify(change(JSON.parse(real.text))) };
}
type Tree = { readonly data: Readonly<Record<string, unknown>> };

/** Returns the exchange with a changed response header. Null removes the header. */
async function withHeader(name: string, value: string | null): Promise<Exchange> {
  const real = await exchange();
  const headers = new Headers(real.headers);
  if (value === null) headers.delete(name);
  else headers.set(name, value);
  return { ...real, headers };
}

test("real responses match the description, including errors", async () => {
  assert.deepEqual(check(await exchange()), []);
  assert.deepEqual(check(await exchange("GET", url, null)), []);
  assert.deepEqual(check(await exchange("DELETE", url, tenant.readKey)), []);
  assert.deepEqual(check(await exchange("PUT")), []);
  assert.deepEqual(check(await exchange("GET", `${url}/nothing`)), []);
});

test("reports an undescribed status", async () => {
  assert.deepEqual(check({ ...(await exchange()), status: 202 }), ["the status 202 is not described"]);
  const moved = await exchange("GET", "http://crm.test/integrations/v1/notes");
  assert.deepEqual(check({ ...moved, status: 404 }), ["the status 404 is not described"]);
});

test("reports an undescribed, missing or mistyped member", async () => {
  const additional = "the body/data must NOT have additional properties";
  assert.deepEqual(check(await withBody(({ data }) => ({ data: { ...data, colour: "red" } }))), [additional]);
  assert.deepEqual(check(await withBody(({ data }) => ({ data: { ...data, dueDate: "2026-03-01T12:00:00Z" } }))), [
    'the body/data/dueDate must pass "x-pattern" keyword validation',
  ]);
  assert.deepEqual(check(await withBody(({ data: { priority: _, ...data } }) => ({ data }))), [
    "the body/data must have required property 'priority'",
  ]);
  const envelope = "the body must NOT have additional properties";
  assert.deepEqual(check(await withBody((body) => ({ ...body, total: 1 }))), [envelope]);
});

test("reports an error code that the operation doesn't have", async () => {
  const rejected = await exchange("GET", url, null);
  const text = rejected.text.replace("unauthorized", "insufficient_scope");
  assert.deepEqual(check({ ...rejected, text }), ["the code insufficient_scope is not described"]);
});

test("reports an undescribed, missing or malformed header", async () => {
  assert.deepEqual(check(await withHeader("x-total-count", "1")), ["the header x-total-count is not described"]);
  assert.deepEqual(check(await withHeader("x-request-id", null)), ["the header X-Request-Id is missing"]);
  assert.deepEqual(check(await withHeader("x-ratelimit-reset", "1.5")), [
    "the header X-RateLimit-Reset must be integer",
  ]);
  assert.deepEqual(check(await withHeader("content-type", "text/html")), ["the content type is text/html"]);
});

test("accepts only 404, 405 and 503 if there is no operation", async () => {
  const nowhere = await exchange("GET", `${url}/nothing`);
  assert.deepEqual(check({ ...nowhere, status: 500 }), [
    "the status 500 is wrong for a path or method without operation",
  ]);
  const rejected = await exchange("PUT");
  assert.deepEqual(check({ ...rejected, status: 404 }), [
    "the status 404 is wrong for a path or method without operation",
  ]);
});

test("the harness rejects an undescribed response", async () => {
  const emptyDataApi = { ...api, fetch: async () => new Response('{"data":{}}', { status: 200 }) };
  await assert.rejects(sendTo(emptyDataApi, "GET", url), /doesn't match docs\/openapi\.json/);
  assert.equal((await send("GET", `/tasks/${tenant.task}`, { key: tenant.key })).status, 200);
});

test("accepted requests match their schemas, and requests with an invalid shape don't", async () => {
  const made = await post({ title: "Call" });
  assert.deepEqual(requestProblems(openApiReader(), made), []);
  assert.deepEqual(requestProblems(openApiReader(), { ...made, sent: { titel: "Call" } }), [
    "the body sent must have required property 'title', but was accepted",
    "the body sent must NOT have additional properties, but was accepted",
  ]);
  const withQuery = { ...made, url: `${made.url}?tenantId=${tenant.id}&limit=1` };
  assert.deepEqual(requestProblems(openApiReader(), withQuery), [
    "the parameter limit is not described, but was accepted",
  ]);
  const rejected = await post({ title: 7 });
  assert.deepEqual(requestProblems(openApiReader(), rejected), []);
  assert.deepEqual(requestProblems(openApiReader(), { ...rejected, sent: { title: "7" } }), [
    "the request fits its schemas, but was rejected as malformed",
  ]);
});

/** Creates a task and returns the exchange. */
async function post(sent: unknown): Promise<Exchange> {
  const to = "http://crm.test/integrations/v1/tasks";
  return { method: "POST", url: to, sent, ...(await sendUnchecked(api, "POST", to, { key: tenant.key, body: sent })) };
}
