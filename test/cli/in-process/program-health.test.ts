import assert from "node:assert/strict";
import { readFileSync, renameSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { freePort } from "../../support/free-port.ts";
import { tenantFolder } from "../../support/program.ts";
import { crmIntegrations, serveInProcess } from "../../support/run-program.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { path, file } = tenantFolder(one);

type JsonResponse = readonly [status: number, body: unknown];

async function fetchJson(url: string): Promise<JsonResponse> {
  const reply = await fetch(url);
  const body = (await reply.json()) as { checks?: readonly object[] };
  if (body.checks === undefined) return [reply.status, body];
  return [reply.status, { ...body, checks: body.checks.map((each) => ({ ...each, durationMs: "number" })) }];
}

/** Starts the server with metrics. */
async function servingMetrics(t: TestContext, ...args: string[]) {
  const address = `127.0.0.1:${await freePort()}`;
  const { greeting } = await serveInProcess(t, "--metrics-listen", address, ...args);
  return { greeting, metricsUrl: `http://${address}/metrics` };
}

const checks = (database: boolean) =>
  Object.entries({ disk: true, database, search: true }).map(([name, ok]) => ({ name, ok, durationMs: "number" }));

test("/healthz and /readyz respond to GET and HEAD without an API key, and no other path does", async (t) => {
  const { greeting } = await serveInProcess(t, "--fixtures", file);
  assert.deepEqual(await fetchJson(`${greeting.url}/healthz`), [200, { status: "ok" }]);
  assert.deepEqual(await fetchJson(`${greeting.url}/readyz?verbose`), [200, { status: "ready", checks: checks(true) }]);
  const head = await fetch(`${greeting.url}/readyz`, { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("cache-control")], [200, "no-store"]);
  const post = await fetch(`${greeting.url}/healthz`, { method: "POST" });
  assert.deepEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
  for (const path of ["/metrics", "/x/healthz", "/readyzz"]) {
    assert.equal((await fetch(greeting.url + path)).status, 404, path);
  }
});

test("/healthz and /readyz have the common headers, accept a trailing slash, and reject methods in the envelope", async (t) => {
  const { greeting } = await serveInProcess(t, "--fixtures", file);
  for (const path of ["/healthz", "/healthz/", "/readyz", "/readyz/"]) {
    for (const [method, status] of [
      ["GET", 200],
      ["HEAD", 200],
      ["OPTIONS", 204],
      ["DELETE", 405],
    ] as const) {
      const headers = { "x-request-id": "probe-1" };
      const response = await fetch(greeting.url + path, { method, headers });
      assert.equal(response.status, status, `${method} ${path}`);
      const names = ["x-request-id", "cache-control", "x-content-type-options", "allow"];
      const allow = status >= 204 ? "GET, HEAD, OPTIONS" : null;
      assert.deepEqual(
        names.map((name) => response.headers.get(name)),
        ["probe-1", "no-store", "nosniff", allow],
      );
      const message = `Method DELETE isn't allowed. Allowed: GET, HEAD, OPTIONS.`;
      if (status === 405) assert.deepEqual(await response.json(), { error: { code: "bad_request", message } });
    }
    const generated = await fetch(greeting.url + path, { headers: { "x-request-id": "no space allowed" } });
    assert.match(generated.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
  }
});

test("while the database can't be written, /healthz is ok and /readyz returns 503 with the reason", {
  timeout: 30_000,
}, async (t) => {
  const data = path("gone");
  const { greeting } = await serveInProcess(t, "--data", data, "--fixtures", file);
  const ready = () => fetchJson(`${greeting.url}/readyz`);
  renameSync(`${data}/crm.db`, `${data}/away.db`);
  const reasons = ["Cannot write to the database."];
  assert.deepEqual(await ready(), [503, { status: "not ready", reasons, checks: checks(false) }]);
  assert.deepEqual(await fetchJson(`${greeting.url}/healthz`), [200, { status: "ok" }]);
  renameSync(`${data}/away.db`, `${data}/crm.db`);
  // The server caches the state for a second.
  while ((await ready())[0] !== 200);
});

test("--metrics-listen serves metrics of requests, replays, limits and commits", async (t) => {
  const { greeting, metricsUrl } = await servingMetrics(
    t,
    "--data",
    path("counted"),
    "--fixtures",
    file,
    "--rate-limit",
    "4",
  );
  const call = (key: string, init: RequestInit = {}) =>
    fetch(`${greeting.baseUrl}/tasks`, { ...init, headers: { "x-api-key": key, ...init.headers } });
  const headers = { "content-type": "application/json", "idempotency-key": "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d51" };
  for (let times = 0; times < 2; times++)
    await call(one.key, { method: "POST", headers, body: JSON.stringify({ title: "Call" }) });
  for (let times = 0; times < 3; times++) await call(one.key);
  await call("none");
  await call("none");
  const text = await (await fetch(metricsUrl)).text();
  const figure = (name: string): number => {
    const line = text.split("\n").find((each) => each.startsWith(`${name} `)) ?? assert.fail(`no ${name} in ${text}`);
    return Number(line.slice(name.length));
  };
  const requests = (operation: string, status: string) =>
    figure(`crm_requests_total{operation="${operation}",status="${status}"}`);
  assert.deepEqual(
    [requests("createTask", "2xx"), requests("listTasks", "2xx"), requests("listTasks", "4xx")],
    [2, 2, 3],
  );
  assert.equal(figure('crm_request_duration_seconds_count{operation="listTasks",method="GET"}'), 5);
  assert.deepEqual(
    ["address", "key"].map((by) => figure(`crm_rate_limited_total{by="${by}"}`)),
    [1, 1],
  );
  assert.deepEqual([figure("crm_replays_total"), figure("crm_requests_in_flight")], [1, 0]);
  assert.ok(figure("crm_commit_batch_size_sum") >= 2);
  for (const name of ["crm_database_bytes", "crm_wal_bytes", "crm_disk_free_bytes", "process_resident_memory_bytes"]) {
    assert.ok(figure(name) > 0, name);
  }
  assert.ok(figure("nodejs_eventloop_lag_p99_seconds") >= 0);
  for (const known of [one.id, one.key, one.integration]) assert.ok(!text.includes(known), `metrics show ${known}`);
});

test("the dashboard and the alert rules use metrics that exist, and the docs list every metric of the server", async (t) => {
  const { metricsUrl } = await servingMetrics(t, "--data", path("dashboard"), "--fixtures", file);
  const text = await (await fetch(metricsUrl)).text();
  const served = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = ""]) => name);
  const rows = readFileSync("docs/reference/metrics-and-logs.md", "utf8").matchAll(/^\| `(crm_\w+).*$/gm);
  // Only with PostgreSQL, and only with Redis.
  const optional = ["database_connections", "database_waiting", "limiter_fallback_active", "limiter_fallbacks"];
  const known = [...served, ...optional.map((name) => `crm_${name}`)];
  assert.deepEqual([...rows].map(([, name]) => name).sort(), known.filter((name) => name.startsWith("crm_")).sort());
  const dashboard = JSON.parse(readFileSync("docs/operate/dashboard.json", "utf8")) as {
    panels: { targets: { expr: string }[] }[];
  };
  const rules = [...readFileSync("docs/operate/alert-rules.yml", "utf8").matchAll(/^ {8}expr: (.+)$/gm)];
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expressions.push(...rules.map(([, expr = ""]) => expr));
  const used = expressions.flatMap((expr) => expr.match(/\b(?:crm|nodejs|process)_\w+/g) ?? assert.fail(expr));
  assert.ok(rules.length > 5 && used.length > 20);
  assert.deepEqual(
    used.filter((name) => !known.includes(name.replace(/_bucket$/, ""))),
    [],
  );
});

test("--metrics-listen serves the health paths too, and nothing else", async (t) => {
  const { metricsUrl } = await servingMetrics(t, "--fixtures", file);
  const base = metricsUrl.replace(/\/metrics$/, "");
  assert.equal((await fetchJson(`${base}/readyz`))[0], 200);
  assert.deepEqual(await fetchJson(`${base}/healthz`), [200, { status: "ok" }]);
  assert.equal((await fetch(`${base}/integrations/v1/me`)).status, 404);
});

test("/version returns the versions of the program, its commit, Node and the schema without an API key", async (t) => {
  const { greeting } = await serveInProcess(t, "--fixtures", file);
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  const [status, { commit, ...body }] = (await fetchJson(`${greeting.url}/version`)) as [
    number,
    { commit: string | null },
  ];
  assert.deepEqual([status, body], [200, { version, node: process.versions.node, schema: 1 }]);
  // A program that runs from its source knows no commit.
  assert.match(commit ?? "", /^(?:[0-9a-f]{40})?$/);
});

test("an invalid --metrics-listen is a usage error", async () => {
  const { code, stderr } = await crmIntegrations("serve", "--metrics-listen", "9464");
  assert.equal(code, 2);
  assert.match(stderr, /--metrics-listen must be HOST:PORT/);
});
