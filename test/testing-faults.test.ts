import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { ApiError } from "../lib/index.ts";
import { type Fault, startTestCrm } from "../lib/testing/index.ts";
import { describedFetch } from "./described.ts";

const crm = await startTestCrm({ fixtures: "demo", rateLimit: 300 });
after(() => crm.close());
const key = crm.keys[0]?.key ?? "";
const headers = { "x-api-key": key, "content-type": "application/json" };
const place = "/integrations/v1/tasks";
const task = { method: "POST", headers, body: '{"title":"Call"}' };

/** Over HTTP, each answer held to the description. */
const http = (path: string, init: RequestInit = { headers }) => describedFetch(crm.url + path, init);

async function count(): Promise<number> {
  let records = 0;
  for await (const { data } of crm.client.tasks.list({ limit: 200 })) records += data.length;
  return records;
}

for (const [way, ask] of [["in the process", crm.fetch] as const, ["over HTTP", http] as const]) {
  test(`${way}, the next requests to an operation are answered as planned, and do nothing`, async () => {
    await crm.reset();
    const before = await count();
    crm.faults.add({ operation: "createTask", times: 2, status: 503, retryAfter: 7 });
    crm.faults.add({ operation: "createTask", status: 429 });
    crm.faults.add({ operation: "createTask", status: 500 });
    assert.equal((await ask(`${place}?limit=1`, { headers })).status, 200);
    const seen = [];
    for (let time = 0; time < 4; time++) {
      const answer = await ask(place, task);
      const { error } = (await answer.json()) as { error: { code: string } };
      seen.push([answer.status, error.code, answer.headers.get("retry-after")]);
    }
    assert.deepEqual(seen, [
      [503, "internal_error", "7"],
      [503, "internal_error", "7"],
      [429, "rate_limited", "1"],
      [500, "internal_error", null],
    ]);
    assert.deepEqual([await count(), crm.faults.pending], [before, []]);
    assert.equal((await ask(place, task)).status, 201);
  });

  test(`${way}, a connection that is dropped after the commit leaves the record there, and one before leaves none`, async () => {
    await crm.reset();
    const before = await count();
    crm.faults.add({ operation: "createTask", drop: "before-commit" });
    await assert.rejects(async () => ask(place, task), { name: "TypeError", message: "fetch failed" });
    assert.equal(await count(), before);
    crm.faults.add({ operation: "createTask", drop: "after-commit" });
    await assert.rejects(async () => ask(place, task), { name: "TypeError", message: "fetch failed" });
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

  test(`${way}, an answer can be kept waiting, and the wait ends where everything is put back`, async () => {
    await crm.reset();
    crm.faults.add({ delayMs: 1 });
    assert.equal((await ask(`${place}?limit=1`, { headers })).status, 200);
    crm.faults.add({ operation: "getMe", delayMs: 3_600_000, status: 500 });
    const waiting = assert.rejects(async () => ask("/integrations/v1/me", { headers }), { message: "fetch failed" });
    while (crm.faults.pending.length > 0) await new Promise((resolve) => setImmediate(resolve));
    await crm.reset();
    await waiting;
  });
}

test("requests are kept as they were received, and how each was answered", async () => {
  await crm.reset();
  const sent = { "x-api-key": key, "x-request-id": "mine", "content-type": "application/json" };
  await crm.fetch(`${place}?limit=1&status=pending`, { headers: { "x-api-key": key } });
  await crm.fetch(place, { method: "POST", headers: sent, body: '{"title":"Call"}' });
  await crm.fetch(place, { method: "POST", headers: sent, body: '{"title":' });
  await crm.fetch("/prefix/integrations/v1/none?a=b", { headers: { prefer: "code=404" } });
  await crm.fetch("/integrations/v1/docs");
  assert.deepEqual(crm.requests, [
    {
      ...{ method: "GET", path: `${place}?limit=1&status=pending`, headers: { "x-api-key": key } },
      ...{ body: null, operation: "listTasks", status: 200 },
    },
    {
      ...{ method: "POST", path: place, headers: sent },
      ...{ body: { title: "Call" }, operation: "createTask", status: 201 },
    },
    { method: "POST", path: place, headers: sent, body: '{"title":', operation: "createTask", status: 400 },
    {
      ...{ method: "GET", path: "/prefix/integrations/v1/none?a=b", headers: { prefer: "code=404" } },
      ...{ body: null, operation: null, status: 404 },
    },
    { method: "GET", path: "/integrations/v1/docs", headers: {}, body: null, operation: null, status: 200 },
  ]);
  const planned = { operation: "createTask", status: 500 } as const;
  crm.faults.add(planned);
  await http(place, task);
  assert.deepEqual(crm.requests.at(-1)?.body, { title: "Call" });
});

test("a fault that is none is refused with everything that is wrong with it", () => {
  const refusals: readonly (readonly [unknown, readonly string[]])[] = [
    [{}, ["/status required"]],
    [{ status: 500, drop: "after-commit" }, ["/drop not_an_option"]],
    [{ status: 418, times: 0, delayMs: -1 }, ["/times out_of_range", "/status invalid_type", "/delayMs out_of_range"]],
    [{ operation: "createTsk", drop: "later" }, ["/operation not_an_option", "/drop not_an_option"]],
    [{ answer: 500 }, ["/answer unknown_key"]],
  ];
  for (const [fault, expected] of refusals) {
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

test("Prefer picks every error that the description has, as it shows it, for every operation", async () => {
  const { paths } = JSON.parse(readFileSync(new URL("../docs/openapi.json", import.meta.url), "utf8")) as {
    paths: Readonly<Record<string, Readonly<Record<string, { operationId?: string; responses: object }>>>>;
  };
  let picked = 0;
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { operationId, responses }] of Object.entries(operations)) {
      if (operationId === undefined) continue;
      for (const code of Object.keys(responses).filter((status) => status >= "400")) {
        const base = /^\/api-key/.test(path) ? "/integrations" : "/integrations/v1";
        const at = base + path.replace(/\{\w+\}/g, "0194343c-0001-7000-8000-000000000000");
        const answer = await http(at, { method: method.toUpperCase(), headers: { prefer: `code=${code}` } });
        assert.deepEqual([answer.status, answer.headers.get("preference-applied")], [Number(code), `code=${code}`]);
        picked++;
      }
    }
  }
  assert.ok(picked > 250, `only ${picked} were picked`);
});

test("Prefer takes an example by its name, does nothing, and is told what there is", async () => {
  await crm.reset();
  const before = await count();
  const preferring = (prefer: string) => crm.fetch(place, { ...task, headers: { ...headers, prefer } });
  const named = await preferring("respond-async, CODE=422; example=idempotency_key_reused");
  assert.equal(named.headers.get("preference-applied"), "code=422, example=idempotency_key_reused");
  assert.equal(((await named.json()) as { error: { code: string } }).error.code, "idempotency_key_reused");
  const messages = [];
  for (const prefer of ["code=404", "code=201", "code=422, example=none", "code="]) {
    const answer = await preferring(prefer);
    const { error } = (await answer.json()) as { error: { code: string; details: { errors: { message: string }[] } } };
    assert.deepEqual([answer.status, error.code], [400, "validation_error"]);
    messages.push(error.details.errors[0]?.message);
  }
  const all = "There are: 400, 401, 403, 413, 415, 422, 429, 500, 503.";
  const kinds = "validation_error, invalid_reference, idempotency_key_reused";
  assert.deepEqual(messages, [
    `Prefer: createTask has no error 404. ${all}`,
    `Prefer: createTask has no error 201. ${all}`,
    `Prefer: 422 of createTask has no example none. There are: ${kinds}.`,
    `Prefer: createTask has no error . ${all}`,
  ]);
  assert.equal(await count(), before);
  assert.equal((await preferring("return=minimal")).status, 201);
});
