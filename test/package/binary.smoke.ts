import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { bundleProgram } from "../../build/bundle.ts";
import { binaryComponents, readConsoleInputs } from "../../build/notices.ts";
import { describedFetch } from "../support/described.ts";
import { freshAddress } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";
import type { Greeting } from "../support/program.ts";
import { redisProgram, startRedis } from "../support/redis-server.ts";
import { Binary } from "./binary.ts";

const binary = new Binary();
const demo = ["--data", "data", "--fixtures", "demo"];

async function call({ baseUrl, keys }: Greeting, path: string, body?: unknown): Promise<{ data: unknown }> {
  const headers = { "x-api-key": keys[0]?.key ?? "", "content-type": "application/json" };
  const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await describedFetch(baseUrl + path, init);
  assert.ok(response.ok, await response.clone().text());
  return (await response.json()) as { data: unknown };
}

test("the binary needs no other files, keeps committed records across kill -9, and stops on SIGTERM", async (t) => {
  const first = await binary.serve(t, demo);
  const made = await call(first.greeting, "/tasks", { title: "Call" });
  assert.equal((await first.stop("SIGKILL")).signal, "SIGKILL");
  const second = await binary.serve(t, demo);
  const { id } = made.data as { id: string };
  assert.deepEqual(await call(second.greeting, `/tasks/${id}`), made);
  assert.equal((await second.stop()).code, 0);
});

test("the binary under write load uses its commit worker and its bundled SQLite", async (t) => {
  if (process.platform !== "linux") return t.skip("where threads have names in /proc");
  const { greeting, child, stop } = await binary.serve(t, [...demo, "--rate-limit", "99999"]);
  const of = (path: string): string => readFileSync(`/proc/${child.pid}/${path}`, "utf8");
  const isApart = (): boolean =>
    readdirSync(`/proc/${child.pid}/task`).some((thread) => of(`task/${thread}/comm`) === "commits\n");
  const write = () => Promise.all(Array.from({ length: 20 }, () => call(greeting, "/tasks", { title: "Apart" })));
  let writes = 0;
  for (; !isApart() && writes < 20_000; writes += 20) await write();
  assert.ok(isApart(), `no thread after ${writes} writes`);
  await write();
  const loaded = of("maps")
    .split("\n")
    .flatMap((line) => /\S*better_sqlite3\S*/.exec(line)?.[0] ?? []);
  assert.equal(new Set(loaded).size, 1);
  const { code, stderr } = await stop();
  assert.equal(code, 0);
  assert.doesNotMatch(stderr, /no thread/);
});

test("the binary serves MCP over HTTP and stdio", async (t) => {
  const { greeting, stop } = await binary.serve(t, demo);
  const key = greeting.keys[0]?.key ?? "";
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const accept = "application/json, text/event-stream";
  const headers = { "x-api-key": key, "content-type": "application/json", accept };
  const listed = await (await fetch(`${greeting.url}/mcp`, { method: "POST", headers, body })).json();
  assert.equal((listed as { result: { tools: object[] } }).result.tools.length, 10);
  const started = binary.start(t, ["mcp", "--url", greeting.url], { CRM_API_KEY: key });
  started.child.stdin.end(`${body}\n`);
  const { code, stdout, stderr } = await started.ended;
  assert.deepEqual([code, stderr, JSON.parse(stdout)], [0, "", listed]);
  assert.equal((await stop()).code, 0);
});

test("the binary contains the OpenAPI description and the reference page", async (t) => {
  const { greeting, stop } = await binary.serve(t, demo);
  const read = async (path: string): Promise<string> => (await fetch(greeting.baseUrl + path)).text();
  const { servers, paths, ...committed } = JSON.parse(readFileSync("docs/openapi.json", "utf8"));
  const served = JSON.parse(await read("/openapi.json"));
  // The served URLs are relative.
  assert.deepEqual([served.servers[0].url, servers[0].url], [".", "/integrations/v1"]);
  assert.deepEqual(
    [{ ...served, servers, paths }, Object.keys(served.paths)],
    [{ ...committed, servers, paths }, Object.keys(paths)],
  );
  const ui = "node_modules/swagger-ui-dist/swagger-ui-bundle.js";
  assert.equal(await read("/docs/swagger-ui-bundle.js"), readFileSync(ui, "utf8"));
  assert.match(await read("/docs/swagger-ui.css"), /\.swagger-ui/);
  assert.equal((await stop()).code, 0);
});

test("version --licenses has the license of everything in the binary", async () => {
  const { code, stdout } = binary.run(["version", "--licenses"]);
  const { inputs } = await bundleProgram();
  const missing = binaryComponents([...inputs, ...readConsoleInputs()]).filter(
    ({ license }) => !stdout.includes(license.trim()),
  );
  assert.deepEqual([code, missing.map(({ name }) => name)], [0, []]);
  const named = [...stdout.matchAll(/^=+\n(\S+) \S+\n=+$/gm)].map(([, name = ""]) => name);
  const expected = [
    "crm-integrations",
    "Node.js",
    "SQLite",
    "better-sqlite3",
    "commander",
    "ioredis",
    "pg",
    "pgpass",
    "preact",
  ];
  assert.deepEqual(
    expected.filter((name) => !named.includes(name)),
    [],
  );
});

async function measured(t: TestContext, ...args: readonly string[]) {
  const started = await binary.serve(t, [...demo, "--metrics-listen", "127.0.0.1:0", ...args]);
  const [, url = ""] = /"metricsUrl":"([^"]+)"/.exec(await started.waitForOutput(/"metricsUrl"/, "stderr")) ?? [];
  return { ...started, metrics: async (): Promise<string> => (await fetch(url)).text() };
}

test("the binary under load limits its young generation to 16 MiB", async (t) => {
  const { greeting, stop, metrics } = await measured(t, "--rate-limit", "99999");
  const many = () => Promise.all(Array.from({ length: 64 }, () => call(greeting, "/tasks?limit=100")));
  for (let times = 0; times < 100; times++) await many();
  const [, bytes] = /^nodejs_heap_space_size_total_bytes\{space="new"\} (\d+)$/m.exec(await metrics()) ?? [];
  assert.equal(Number(bytes), 16 * 1024 * 1024);
  assert.equal((await stop()).code, 0);
});

test("the binary measures itself if configured", async (t) => {
  const { greeting, stop, metrics } = await measured(t);
  await call(greeting, "/me");
  assert.match(await metrics(), /^crm_requests_total\{operation="getMe",status="2xx"\} 1$/m);
  const { code, stderr } = await stop();
  assert.equal(code, 0);
  assert.match(stderr, /"operation":"getMe"/);
});

test("the binary stores records in PostgreSQL and rate limits in Redis", {
  skip: noPostgres || (redisProgram === undefined ? "Redis is not installed here" : false),
}, async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const options = ["--database", await freshAddress(), "--limiter", redis.socket, "--fixtures", "demo"];
  const servers = [await binary.serve(t, options), await binary.serve(t, options)] as const;
  const [one, two] = [servers[0].greeting, servers[1].greeting];
  const made = await call(one, "/tasks", { title: "Call" });
  const { id } = made.data as { id: string };
  assert.deepEqual(await call(two, `/tasks/${id}`), made);
  const { headers } = await fetch(`${one.baseUrl}/me`, { headers: { "x-api-key": one.keys[0]?.key ?? "" } });
  assert.equal(headers.get("x-ratelimit-remaining"), "297");
  for (const { stop } of servers) assert.equal((await stop()).code, 0);
});

test("the binary serves its documentation at /docs/, unless it is off", async (t) => {
  for (const [setting, status] of [
    ["on", 200],
    ["off", 404],
  ] as const) {
    const { greeting, stop } = await binary.serve(t, ["--fixtures", "demo", "--docs", setting]);
    assert.equal((await fetch(`${greeting.url}/docs/start/first-sync.html`)).status, status, setting);
    const start = await (await fetch(`${greeting.url}/`)).text();
    assert.equal(start.includes('href="docs/"'), setting === "on");
    await stop();
  }
});
