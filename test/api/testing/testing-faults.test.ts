import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { ApiError } from "../../../lib/index.ts";
import { type Fault, startTestCrm } from "../../../lib/testing/index.ts";
import { describedFetch } from "../../support/described.ts";

const crm = await startTestCrm({ fixtures: "demo", rateLimit: 300 });
after(() => crm.close());
const key = crm.keys[0]?.key ?? "";
const headers = { "x-api-key": key, "content-type": "application/json" };
const tasksPath = "/integrations/v1/tasks";
const task = { method: "POST", headers, body: '{"title":"Call"}' };

/** Sends over HTTP and checks each response against the OpenAPI description. */
const http = (path: string, init: RequestInit = { headers }) => describedFetch(crm.url + path, init);

async function count(): Promise<number> {
  let records = 0;
  for await (const { data } of crm.client.tasks.list({ limit: 200 })) records += data.length;
  return records;
}

for (const [transport, send] of [["in the process", crm.fetch] as const, ["over HTTP", http] as const]) {
  test(`${transport}, faults respond to the next requests of their operation, which have no effect`, async () => {
    await crm.reset();
    const before = await count();
    crm.faults.add({ operation: "createTask", times: 2, status: 503, retryAfter: 7 });
    crm.faults.add({ operation: "createTask", status: 429 });
    crm.faults.add({ operation: "createTask", status: 500 });
    assert.equal((await send(`${tasksPath}?limit=1`, { headers })).status, 200);
    const seen = [];
    for (let time = 0; time < 4; time++) {
      const response = await send(tasksPath, task);
      const { error } = (await response.json()) as { error: { code: string } };
      seen.push([response.status, error.code, response.headers.get("retry-after")]);
    }
    assert.deepEqual(seen, [
      [503, "internal_error", "7"],
      [503, "internal_error", "7"],
      [429, "rate_limited", "1"],
      [500, "internal_error", null],
    ]);
    assert.deepEqual([await count(), crm.faults.pending], [before, []]);
    assert.equal((await send(tasksPath, task)).status, 201);
  });

  test(`${transport}, drop after-commit leaves the record, and drop before-commit leaves none`, async () => {
    await crm.reset();
    const before = await count();
    crm.faults.add({ operation: "createTask", drop: "before-commit" });
    await assert.rejects(async () => send(tasksPath, task), { name: "TypeError", message: "fetch failed" });
    assert.equal(await count(), before);
    crm.faults.add({ operation: "createTask", drop: "after-commit" });
    await assert.rejects(async () => send(tasksPath, task), { name: "TypeError", message: "fetch failed" });
    assert.equal(await count(), before + 1);
    const dropped = crm.requests.filter(({ operation }) => operation === "createTask");
    assert.deepEqual(
      dropped.map(({ body, status }) => [body, status]),
      [
        [{ title: "Call" }, null],
        [{ title: "Call" }, null],
      ],
    );
  });

  test(`${transport}, a fault delays a response, and reset ends the delay`, async () => {
    await crm.reset();
    crm.faults.add({ delayMs: 1 });
    assert.equal((await send(`${tasksPath}?limit=1`, { headers })).status, 200);
    crm.faults.add({ operation: "getMe", delayMs: 3_600_000, status: 500 });
    const waiting = assert.rejects(async () => send("/integrations/v1/me", { headers }), { message: "fetch failed" });
    while (crm.faults.pending.length > 0) await new Promise((resolve) => setImmediate(resolve));
    await crm.reset();
    await waiting;
  });
}

test("requests returns each request as received, with the status of its response", async () => {
  await crm.reset();
  const sent = { "x-api-key": key, "x-request-id": "mine", "content-type": "application/json" };
  await crm.fetch(`${tasksPath}?limit=1&status=pending`, { headers: { "x-api-key": key } });
  await crm.fetch(tasksPath, { method: "POST", headers: sent, body: '{"title":"Call"}' });
  await crm.fetch(tasksPath, { method: "POST", headers: sent, body: '{"title":' });
  await crm.fetch("/prefix/integrations/v1/none?a=b", { headers: { prefer: "code=404" } });
  await crm.fetch("/integrations/v1/docs");
  assert.deepEqual(crm.requests, [
    {
      ...{ method: "GET", path: `${tasksPath}?limit=1&status=pending`, headers: { "x-api-key": key } },
      ...{ body: null, operation: "listTasks", status: 200 },
    },
    {
      ...{ method: "POST", path: tasksPath, headers: sent },
      ...{ body: { title: "Call" }, operation: "createTask", status: 201 },
    },
    { method: "POST", path: tasksPath, headers: sent, body: '{"title":', operation: "createTask", status: 400 },
    {
      ...{ method: "GET", path: "/prefix/integrations/v1/none?a=b", headers: { prefer: "code=404" } },
      ...{ body: null, operation: null, status: 404 },
    },
    { method: "GET", path: "/integrations/v1/docs", headers: {}, body: null, operation: null, status: 200 },
  ]);
  const fault = { operation: "createTask", status: 500 } as const;
  crm.faults.add(fault);
  await http(tasksPath, task);
  assert.deepEqual(crm.requests.at(-1)?.body, { title: "Call" });
});

test("faults.add throws every error of an invalid fault", () => {
  const cases: readonly (readonly [unknown, readonly string[]])[] = [
    [{}, ["/status required"]],
    [{ status: 500, drop: "after-commit" }, ["/drop not_an_option"]],
    [{ status: 418, times: 0, delayMs: -1 }, ["/times out_of_range", "/status invalid_type", "/delayMs out_of_range"]],
    [{ operation: "createTsk", drop: "later" }, ["/operation not_an_option", "/drop not_an_option"]],
    [{ response: 500 }, ["/response unknown_key"]],
  ];
  for (const [fault, expected] of cases) {
    assert.throws(
      () => crm.faults.add(fault as Fault),
      (error) => {
        assert.ok(error instanceof ApiError);
        const { errors } = error.details as { errors: readonly { path: string; code: string }[] };
        assert.deepEqual(
          errors.map(({ path, code }) => `${path} ${code}`),
          expected,
        );
        return true;
      },
    );
  }
});

test("Prefer returns every error of every operation as the OpenAPI description shows it", async () => {
  const { paths } = JSON.parse(readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8")) as {
    paths: Readonly<Record<string, Readonly<Record<string, { operationId?: string; responses: object }>>>>;
  };
  let checked = 0;
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { operationId, responses }] of Object.entries(operations)) {
      if (operationId === undefined) continue;
      for (const code of Object.keys(responses).filter((status) => status >= "400")) {
        const base = /^\/(api-key|admin)/.test(path) ? "/integrations" : "/integrations/v1";
        const at = base + path.replace(/\{\w+\}/g, "0194343c-0001-7000-8000-000000000000");
        const response = await http(at, { method: method.toUpperCase(), headers: { prefer: `code=${code}` } });
        assert.deepEqual([response.status, response.headers.get("preference-applied")], [Number(code), `code=${code}`]);
        checked++;
      }
    }
  }
  assert.ok(checked > 250, `only ${checked} errors`);
});

test("Prefer selects an example by name without an effect, and rejects an unknown one with the allowed values", async () => {
  await crm.reset();
  const before = await count();
  const sendWithPrefer = (prefer: string) => crm.fetch(tasksPath, { ...task, headers: { ...headers, prefer } });
  const named = await sendWithPrefer("respond-async, CODE=422; example=idempotency_key_reused");
  assert.equal(named.headers.get("preference-applied"), "code=422, example=idempotency_key_reused");
  assert.equal(((await named.json()) as { error: { code: string } }).error.code, "idempotency_key_reused");
  const messages = [];
  for (const prefer of ["code=404", "code=201", "code=422, example=none", "code="]) {
    const response = await sendWithPrefer(prefer);
    const { error } = (await response.json()) as {
      error: { code: string; details: { errors: { message: string }[] } };
    };
    assert.deepEqual([response.status, error.code], [400, "validation_error"]);
    messages.push(error.details.errors[0]?.message);
  }
  const all = "Allowed: 400, 401, 403, 413, 415, 422, 429, 500, 503.";
  const kinds = "validation_error, invalid_reference, idempotency_key_reused";
  assert.deepEqual(messages, [
    `Prefer: createTask has no error 404. ${all}`,
    `Prefer: createTask has no error 201. ${all}`,
    `Prefer: 422 of createTask has no example none. Allowed: ${kinds}.`,
    `Prefer: createTask has no error . ${all}`,
  ]);
  assert.equal(await count(), before);
  assert.equal((await sendWithPrefer("return=minimal")).status, 201);
});
