import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { describedFetch } from "./described.ts";
import { freshAddress } from "./postgres-place.ts";
import { postgresAbsent } from "./postgres-server.ts";
import { redisProgram, startRedis } from "./redis-server.ts";

const folder = mkdtempSync(join(tmpdir(), "crm-binary-"));
const binary = join(folder, "crm");
copyFileSync(`dist/crm-integrations-${process.platform}-${process.arch}`, binary);
after(() => rmSync(folder, { recursive: true }));

type Started = { readonly child: ChildProcess; readonly baseUrl: string; readonly key: string };

/** The binary alone in an empty folder, with nothing in its environment. */
async function start(place: readonly string[] = ["--data", "data"]): Promise<Started> {
  const args = ["serve", ...place, "--fixtures", "demo", "--listen", "127.0.0.1:0", "--json"];
  const child = spawn(binary, args, { cwd: folder, env: {}, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { baseUrl, keys } = JSON.parse(line);
  return { child, baseUrl, key: keys[0].key };
}

async function stop(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
  child.kill(signal);
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}

async function call({ baseUrl, key }: Started, path: string, body?: unknown): Promise<{ data: unknown }> {
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await describedFetch(baseUrl + path, init);
  assert.ok(response.ok, await response.clone().text());
  return (await response.json()) as { data: unknown };
}

test("the binary serves alone, keeps what it answered across kill -9, and stops when asked", async () => {
  const first = await start();
  const made = await call(first, "/tasks", { title: "Kept" });
  assert.equal(await stop(first.child, "SIGKILL"), null);
  const second = await start();
  const { id } = made.data as { id: string };
  assert.deepEqual(await call(second, `/tasks/${id}`), made);
  assert.equal(await stop(second.child, "SIGTERM"), 0);
});

test("the binary carries the description and the reference page", async () => {
  const { child, baseUrl } = await start();
  const read = async (path: string): Promise<string> => (await fetch(baseUrl + path)).text();
  const committed = JSON.parse(readFileSync("docs/openapi.json", "utf8"));
  assert.deepEqual(JSON.parse(await read("/openapi.json")), committed);
  const ui = "node_modules/swagger-ui-dist/swagger-ui-bundle.js";
  assert.equal(await read("/docs/swagger-ui-bundle.js"), readFileSync(ui, "utf8"));
  assert.match(await read("/docs/swagger-ui.css"), /\.swagger-ui/);
  assert.equal(await stop(child, "SIGTERM"), 0);
});

test("the binary keeps its records in PostgreSQL and counts its requests in Redis", {
  skip: postgresAbsent || (redisProgram === undefined ? "Redis is not installed here" : false),
}, async () => {
  const redis = await startRedis();
  after(() => redis.stop());
  const place = ["--database", await freshAddress(), "--limiter", redis.socket];
  const servers = [await start(place), await start(place)] as const;
  const made = await call(servers[0], "/tasks", { title: "Kept" });
  const { id } = made.data as { id: string };
  assert.deepEqual(await call(servers[1], `/tasks/${id}`), made);
  const { headers } = await fetch(`${servers[0].baseUrl}/me`, { headers: { "x-api-key": servers[0].key } });
  assert.equal(headers.get("x-ratelimit-remaining"), "297");
  for (const { child } of servers) assert.equal(await stop(child, "SIGTERM"), 0);
});
