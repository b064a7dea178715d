import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after, type TestContext, test } from "node:test";
import { serve as serveHono } from "@hono/node-server";
import { Hono } from "hono";
import { crmApp } from "../../../lib/http/app.ts";
import { internals } from "../../../lib/http/create-api.ts";
import { ApiError, unlimitedRateLimiter } from "../../../lib/index.ts";
import { type Result, testCrm } from "../../support/harness.ts";
import { errorOf } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
const operations: (string | null)[] = [];
// Each endpoint is called four times with one API key.
const crm = await testCrm([one, two], {
  rateLimiter: unlimitedRateLimiter,
  onRequest: ({ operation }) => operations.push(operation),
});
after(() => crm.api.close());
const app = crm.api.app();
const host = new Hono().route("/crm", app);

const base = "/integrations/v1";
const headers = { "x-api-key": one.key, "x-request-id": "app-1" };

type Requestable = Pick<typeof app, "request">;

async function request(on: Requestable, path: string, init: RequestInit = {}): Promise<Result> {
  const response = await on.request(path, { headers, ...init });
  const text = await response.text();
  const body = response.headers.get("content-type")?.startsWith("application/json") && text !== "" && JSON.parse(text);
  return { status: response.status, headers: response.headers, text, body };
}

test("api.app().request() returns a page of tasks", async () => {
  const { status, body } = await request(app, `${base}/tasks`);
  assert.equal(status, 200);
  const { data } = body as { data: { id: string }[] };
  assert.deepEqual(
    data.map(({ id }) => id),
    [one.task],
  );
});

for (const [name, on, prefix] of [
  ["at the root", app, ""],
  ["behind a prefix", app, "/eu/crm"],
  ["behind a prefix that looks like a path of the API", app, "/integrations/slack"],
  ["mounted with app.route", host, "/crm"],
] as const) {
  test(`every endpoint is reached by method and path ${name}`, async () => {
    for (const { method, path, access, name } of crm.api.endpoints) {
      const url = `${prefix}${access === "admin" ? "/integrations" : base}${path.replaceAll(/:\w+/g, one.task)}`;
      operations.length = 0;
      const { status } = await request(on, url, { method });
      assert.deepEqual(operations, [name], `${method} ${url} returned ${status}`);
    }
  });

  test(`an unknown path returns 404 and another method 405 with Allow ${name}`, async () => {
    const unknown = await request(on, `${prefix}${base}/nothing`);
    assert.deepEqual([unknown.status, errorOf(unknown)], [404, { code: "not_found", message: "Unknown path." }]);
    assert.equal(unknown.headers.get("x-request-id"), "app-1");
    for (const [path, allow] of [
      [`${base}/tasks`, "GET, POST, HEAD, OPTIONS"],
      [`${base}/tasks/${one.task}`, "GET, PATCH, DELETE, HEAD, OPTIONS"],
      [`${base}/contacts/opportunities/active`, "POST, OPTIONS"],
      ["/integrations/api-key", "GET, HEAD, OPTIONS"],
    ]) {
      const wrong = await request(on, prefix + path, { method: "PUT" });
      assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, allow]);
      const message = `Method PUT isn't allowed. Allowed: ${allow}.`;
      assert.deepEqual(errorOf(wrong), { code: "bad_request", message });
      const options = await request(on, prefix + path, { method: "OPTIONS" });
      assert.deepEqual([options.status, options.headers.get("allow"), options.text], [204, allow, ""]);
    }
  });
}

test("HEAD returns the status and headers of GET without a body", async () => {
  for (const path of ["/tasks", `/tasks/${one.task}`, `/tasks/${two.task}`, "/tasks?limit=0", "/nothing", "/docs"]) {
    const rate = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "0" };
    const [get, head] = [await request(app, base + path), await request(app, base + path, { method: "HEAD" })];
    assert.equal(head.status, get.status, path);
    assert.deepEqual({ ...fields(head), ...rate }, { ...fields(get), ...rate }, path);
    assert.deepEqual([head.text, get.text === ""], ["", false], path);
  }
});

function fields({ headers }: Result): Record<string, string> {
  const { "x-ratelimit-remaining": _, "x-ratelimit-reset": __, ...rest } = Object.fromEntries(headers);
  return rest;
}

test("a slash at the end of a path is accepted, and Location is relative to that URL", async () => {
  for (const path of ["/tasks", `/tasks/${one.task}`, "/me"])
    assert.equal((await request(app, `${base}${path}/`)).status, 200, path);
  for (const path of ["/tasks", "/tasks/"]) {
    const body = '{"title":"Call"}';
    const json = { ...headers, "content-type": "application/json" };
    const created = await request(app, `/eu${base}${path}`, { method: "POST", headers: json, body });
    assert.equal(created.status, 201, created.text);
    const location = new URL(created.headers.get("location") ?? "", `http://crm.test/eu${base}${path}`);
    assert.equal((await request(app, location.href)).text, created.text);
  }
  for (const on of [host, new Hono({ strict: false }).route("/crm", app)])
    assert.equal((await request(on, `/crm${base}/me/`)).status, 200);
});

test("IDs in a path are percent-decoded, and an ID with a wrong encoding returns 404", async () => {
  const encoded = [...one.task].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join("");
  for (const on of [app, new Hono().route("/", app)]) {
    assert.equal((await request(on, `${base}/tasks/${encoded}`)).status, 200);
    for (const wrong of ["%ZZ", "%", "%C3%28", `${one.task}%2F`, `%00${one.task}`])
      assert.equal((await request(on, `${base}/tasks/${wrong}`)).status, 404, wrong);
  }
});

test("a fixed path takes precedence over an ID in any order of the endpoints", async () => {
  const getTask = crm.api.endpoints.find(({ name }) => name === "getTask");
  assert.ok(getTask);
  const fixed = { ...getTask, name: "getLatestTask", path: "/tasks/latest" };
  const { [internals]: runtime } = crm.api;
  for (const endpoints of [
    [getTask, fixed],
    [fixed, getTask],
  ]) {
    operations.length = 0;
    await request(crmApp({ endpoints, runtime }), `${base}/tasks/latest`);
    assert.deepEqual(operations, ["getLatestTask"]);
  }
});

test("a middleware of a Hono host can change a response after the API, also on a port", async (t) => {
  const server = new Hono();
  server.use(async (c, next) => {
    await next();
    c.header("x-host", "yes");
  });
  server.route("/crm", app);
  const origin = await listen(t, server);
  for (const path of ["/tasks", "/nothing"]) {
    const response = await fetch(`${origin}/crm${base}${path}`, { headers });
    assert.deepEqual([response.headers.get("x-host"), response.headers.get("x-request-id")], ["yes", "app-1"]);
    assert.notEqual(await response.text(), "");
  }
});

test("app.mount serves the API, and Location leads to the record", async (t) => {
  const origin = await listen(t, new Hono().mount("/crm", crm.api.fetch));
  const url = `${origin}/crm${base}/tasks`;
  const json = { ...headers, "content-type": "application/json" };
  const created = await fetch(url, { method: "POST", headers: json, body: '{"title":"Call"}' });
  const read = await fetch(new URL(created.headers.get("location") ?? "", url), { headers });
  assert.deepEqual([created.status, await read.text()], [201, await created.text()]);
});

async function listen(t: TestContext, { fetch }: Hono): Promise<string> {
  const server = serveHono({ fetch, port: 0, hostname: "127.0.0.1", overrideGlobalObjects: false });
  t.after(() => server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("an error that a middleware throws is returned in the error envelope", async (t) => {
  const logged: unknown[] = [];
  const logger = { error: ({ err }: Readonly<Record<string, unknown>>) => void logged.push(err) };
  const { api } = await testCrm([one], { logger });
  t.after(() => api.close());
  const broken = new Error("secret of the host");
  for (const [error, status, code] of [
    [new ApiError("unauthorized", "No session."), 401, "unauthorized"],
    [broken, 500, "internal_error"],
  ] as const) {
    const guarded = api.app().use("/guarded", () => Promise.reject(error));
    const result = await request(guarded, "/guarded");
    assert.deepEqual([result.status, errorOf(result).code], [status, code]);
    assert.ok(!result.text.includes("secret"));
  }
  assert.deepEqual(logged, [broken]);
});
