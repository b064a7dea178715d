import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type Answered, answerProblems } from "../openapi/answers.ts";
import { requestProblems } from "../openapi/requests.ts";
import { openApiReader } from "../support/described.ts";
import { send as sendTo, sendUnchecked, testCrm } from "../support/harness.ts";
import { testTenant } from "../support/tenants.ts";

const tenant = testTenant(1);
const { api, send } = await testCrm([tenant]);
after(() => api.close());
const check = (answer: Answered) => answerProblems(openApiReader(), answer);

const url = `http://crm.test/some/prefix/integrations/v1/tasks/${tenant.task}`;

/** A real answer, as it came. */
async function answered(method = "GET", to = url, key: string | null = tenant.key): Promise<Answered> {
  return { method, url: to, ...(await sendUnchecked(api, method, to, { key })) };
}

/** The same answer with another body. */
async function withBody(change: (body: Tree) => unknown): Promise<Answered> {
  const real = await answered();
  return { ...real, text: JSON.stringify(change(JSON.parse(real.text))) };
}
type Tree = { readonly data: Readonly<Record<string, unknown>> };

/** The same answer with a header changed; null takes it away. */
async function withHeader(name: string, value: string | null): Promise<Answered> {
  const real = await answered();
  const headers = new Headers(real.headers);
  if (value === null) headers.delete(name);
  else headers.set(name, value);
  return { ...real, headers };
}

test("a real answer is as it is described, whatever came of the request", async () => {
  assert.deepEqual(check(await answered()), []);
  assert.deepEqual(check(await answered("GET", url, null)), []);
  assert.deepEqual(check(await answered("DELETE", url, tenant.readKey)), []);
  assert.deepEqual(check(await answered("PUT")), []);
  assert.deepEqual(check(await answered("GET", `${url}/nothing`)), []);
});

test("a status that is not described is found", async () => {
  assert.deepEqual(check({ ...(await answered()), status: 202 }), ["the status 202 is not described"]);
  const moved = await answered("GET", "http://crm.test/integrations/v1/tasks");
  assert.deepEqual(check({ ...moved, status: 404 }), ["the status 404 is not described"]);
});

test("a member that is not described, is missing or has another type is found", async () => {
  const additional = "the body/data must NOT have additional properties";
  assert.deepEqual(check(await withBody(({ data }) => ({ data: { ...data, colour: "red" } }))), [additional]);
  assert.deepEqual(check(await withBody(({ data }) => ({ data: { ...data, dueDate: "2026-03-01T12:00:00Z" } }))), [
    'the body/data/dueDate must match pattern "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$"',
  ]);
  assert.deepEqual(check(await withBody(({ data: { priority: _, ...data } }) => ({ data }))), [
    "the body/data must have required property 'priority'",
  ]);
  const envelope = "the body must NOT have additional properties";
  assert.deepEqual(check(await withBody((body) => ({ ...body, total: 1 }))), [envelope]);
});

test("an error code that this operation does not have is found", async () => {
  const refused = await answered("GET", url, null);
  const text = refused.text.replace("unauthorized", "insufficient_scope");
  assert.deepEqual(check({ ...refused, text }), ["the body/error/code must be equal to one of the allowed values"]);
});

test("a header that is not described, is missing or has another form is found", async () => {
  assert.deepEqual(check(await withHeader("x-total-count", "1")), ["the header x-total-count is not described"]);
  assert.deepEqual(check(await withHeader("x-request-id", null)), ["the header X-Request-Id is missing"]);
  assert.deepEqual(check(await withHeader("x-ratelimit-reset", "1.5")), [
    "the header X-RateLimit-Reset must be integer",
  ]);
  assert.deepEqual(check(await withHeader("content-type", "text/html")), ["the content type is text/html"]);
});

test("where no operation is, only the errors that say so are right", async () => {
  const nowhere = await answered("GET", `${url}/nothing`);
  assert.deepEqual(check({ ...nowhere, status: 500 }), ["500 where no operation is"]);
  const refused = await answered("PUT");
  assert.deepEqual(check({ ...refused, status: 404 }), ["404 where no operation is"]);
});

test("the harness refuses an answer that is not described", async () => {
  const lying = { ...api, fetch: async () => new Response('{"data":{}}', { status: 200 }) };
  await assert.rejects(sendTo(lying, "GET", url), /docs\/openapi\.json says otherwise/);
  assert.equal((await send("GET", `/tasks/${tenant.task}`, { key: tenant.key })).status, 200);
});

test("accepted requests match their schemas, and requests with an invalid shape don't", async () => {
  const made = await post({ title: "Call" });
  assert.deepEqual(requestProblems(openApiReader(), made), []);
  assert.deepEqual(requestProblems(openApiReader(), { ...made, sent: { titel: "Call" } }), [
    "the body sent must have required property 'title', and was accepted",
    "the body sent must NOT have additional properties, and was accepted",
  ]);
  const asked = { ...made, url: `${made.url}?tenantId=${tenant.id}&limit=1` };
  assert.deepEqual(requestProblems(openApiReader(), asked), ["there is no parameter limit, and was accepted"]);
  const refused = await post({ title: 7 });
  assert.deepEqual(requestProblems(openApiReader(), refused), []);
  assert.deepEqual(requestProblems(openApiReader(), { ...refused, sent: { title: "7" } }), [
    "the request fits its schemas, and was refused for its shape",
  ]);
});

/** A POST of this task, and what was answered. */
async function post(sent: unknown): Promise<Answered> {
  const to = "http://crm.test/integrations/v1/tasks";
  return { method: "POST", url: to, sent, ...(await sendUnchecked(api, "POST", to, { key: tenant.key, body: sent })) };
}
