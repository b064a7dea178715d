import assert from "node:assert/strict";
import { test } from "node:test";
import { type Greeting, serving, tenantFolder } from "../support/program.ts";
import { exchange } from "../support/raw-http.ts";
import { serveInProcess } from "../support/run-program.ts";
import { testTenant } from "../support/tenants.ts";

const one = testTenant(1);
const { file, path } = tenantFolder(one);

type JsonResponse = { readonly status: number; readonly headers: Headers; readonly body: unknown };

async function send(
  url: string,
  method = "GET",
  body?: unknown,
  more: Record<string, string> = {},
): Promise<JsonResponse> {
  const headers = { "x-api-key": one.key, "content-type": "application/json", ...more };
  const sent = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(url, { method, headers, body: sent });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

async function tasks({ baseUrl }: Greeting): Promise<readonly { readonly title: string; readonly id: string }[]> {
  return ((await send(`${baseUrl}/tasks`)).body as { data: { title: string; id: string }[] }).data;
}

test("fixtures in memory can be reset, given a time, made to fail, and list their requests", async (t) => {
  const { greeting, child, ended } = await serving(t, "--fixtures", file);
  const { url, baseUrl } = greeting;
  const control = (name: string, body?: unknown) => send(`${url}/__fixtures/${name}`, "POST", body);
  const beginning = await tasks(greeting);

  const set = await control("clock", { now: "2030-01-01T00:00:00+01:00" });
  assert.deepEqual([set.status, set.body], [200, { data: { now: "2029-12-31T23:00:00.000Z" } }]);
  const later = await control("clock", { advanceMs: 60_000 });
  assert.deepEqual(later.body, { data: { now: "2029-12-31T23:01:00.000Z" } });
  const made = (await send(`${baseUrl}/tasks`, "POST", { title: "In 2029" })).body as { data: { createdAt: string } };
  assert.equal(made.data.createdAt.slice(0, 19), "2029-12-31T23:01:00");

  const planned = await control("faults", { operation: "createTask", drop: "after-commit" });
  const stored = { operation: "createTask", times: 1, retryAfter: 1, drop: "after-commit" };
  assert.deepEqual([planned.status, planned.body], [200, { data: [stored] }]);
  const once = { "idempotency-key": "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11" };
  await assert.rejects(send(`${baseUrl}/tasks`, "POST", { title: "Once" }, once), { message: "fetch failed" });
  const again = await send(`${baseUrl}/tasks`, "POST", { title: "Once" }, once);
  assert.deepEqual([again.status, again.headers.get("idempotent-replayed")], [201, "true"]);
  assert.equal((await tasks(greeting)).filter(({ title }) => title === "Once").length, 1);

  const { data } = (await send(`${url}/__fixtures/requests`)).body as { data: Record<string, unknown>[] };
  assert.deepEqual(
    data.map(({ method, operation, status }) => [method, operation, status]),
    [
      ["GET", "listTasks", 200],
      ["POST", "createTask", 201],
      ["POST", "createTask", null],
      ["POST", "createTask", 201],
      ["GET", "listTasks", 200],
    ],
  );
  assert.deepEqual([data[2]?.path, data[2]?.body], ["/integrations/v1/tasks", { title: "Once" }]);

  const reset = await control("reset");
  const { now } = (reset.body as { data: { now: string } }).data;
  assert.ok(Math.abs(Date.parse(now) - Date.now()) < 60_000, `the clock goes with the machine's again, not ${now}`);
  assert.deepEqual([(await tasks(greeting)).length, beginning.length], [beginning.length, beginning.length]);
  assert.deepEqual(await tasks(greeting), beginning);
  assert.equal((await send(`${baseUrl}/tasks`, "GET", undefined, { prefer: "code=429" })).status, 429);
  child.kill("SIGTERM");
  const { code, stderr } = await ended;
  assert.deepEqual([code, stderr], [0, ""]);
});

test("the fixture controls return the API's error envelope for invalid input, and mark every response", async (t) => {
  const { greeting } = await serveInProcess(t, "--fixtures", file);
  const { url } = greeting;
  const errors = async (response: Promise<JsonResponse>) => {
    const { status, headers, body } = await response;
    const { error } = body as { error: { code: string; details?: { errors?: { path: string; code: string }[] } } };
    assert.equal(headers.get("x-crm-fixtures"), "in-memory");
    const problems = (error.details?.errors ?? []).map((problem) => ` ${problem.path} ${problem.code}`);
    return `${status} ${error.code}${problems.join()}`;
  };
  const post = (name: string, body?: unknown, headers?: Record<string, string>) =>
    errors(send(`${url}/__fixtures/${name}`, "POST", body, headers));
  assert.deepEqual(
    [
      await post("clock", { now: "2030-01-01", advanceMs: 1.5, to: 1 }),
      await post("clock", { advanceMs: 1e17 }),
      await post("clock", '{"now":'),
      await post("clock", "now", { "content-type": "text/plain" }),
      await post("reset", { hard: true }),
      await post("faults", { operation: "createTsk", times: "2" }),
      await post("faults"),
      await post("faults", { status: 500 }, { origin: "https://pages.example" }),
      await post("none"),
      await errors(send(`${url}/__fixtures/reset`)),
      await errors(send(`${url}/__fixtures/requests?limit=1`)),
      await errors(send(`${url}/other`)),
    ],
    [
      "400 validation_error /to unknown_key, /now invalid_format, /advanceMs invalid_type",
      "400 validation_error /advanceMs out_of_range",
      "400 bad_request",
      "415 bad_request",
      "400 validation_error /hard unknown_key",
      "400 validation_error /operation not_an_option, /times invalid_type",
      "400 validation_error /status required",
      "404 not_found",
      "404 not_found",
      "405 bad_request",
      "400 validation_error ?limit unknown_key",
      "404 not_found",
    ],
  );
  const docs = await fetch(`${greeting.baseUrl}/docs`);
  await docs.bytes();
  const [none] = await exchange(url, "NONSENSE\r\n\r\n");
  const [rebound] = await exchange(
    url,
    "GET /__fixtures/requests HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n",
  );
  const modes = [
    docs.headers.get("x-crm-fixtures"),
    none?.headers["x-crm-fixtures"],
    rebound?.headers["x-crm-fixtures"],
  ];
  assert.deepEqual([modes, rebound?.status], [["in-memory", "in-memory", "in-memory"], 404]);
});

for (const [what, args] of [
  ["with a data folder", ["--data", path("data"), "--fixtures", file]],
  ["not on loopback", ["--fixtures", file, "--listen", "0.0.0.0:0"]],
] as const) {
  test(`a server ${what} has no fixture controls, ignores Prefer and marks no response`, async (t) => {
    const { greeting } = await serveInProcess(t, ...args);
    const url = greeting.url.replace("0.0.0.0", "127.0.0.1");
    const responses = [
      await send(`${url}/__fixtures/reset`, "POST"),
      await send(`${url}/__fixtures/clock`, "POST", { advanceMs: 1 }),
      await send(`${url}/__fixtures/faults`, "POST", { status: 500 }),
      await send(`${url}/__fixtures/requests`),
      await send(`${url}/integrations/v1/me`, "GET", undefined, { prefer: "code=429" }),
    ];
    assert.deepEqual(
      responses.map(({ status, headers }) => [
        status,
        headers.get("x-crm-fixtures"),
        headers.get("preference-applied"),
      ]),
      [404, 404, 404, 404, 200].map((status) => [status, null, null]),
    );
  });
}

test("the API keys of the banner work", async (t) => {
  const { greeting } = await serveInProcess(t, "--fixtures", "demo");
  const statuses = greeting.keys.map(({ key }) =>
    send(`${greeting.baseUrl}/me`, "GET", undefined, { "x-api-key": key }),
  );
  assert.deepEqual(
    (await Promise.all(statuses)).map(({ status }) => status),
    [200, 200],
  );
});
