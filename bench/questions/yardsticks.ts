import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { startPostgres } from "../../test/support/postgres-server.ts";
import type { Bench } from "../bench.ts";
import type { LoadRequest } from "../load.ts";
import { type Running, root, start } from "../processes.ts";
import { newAccount, seededRandom } from "../requests.ts";
import type { Recorded } from "../servers/bare.ts";

const dropped = ["date", "connection", "keep-alive", "transfer-encoding", "content-length"];

/** Records the responses of the API in a file. The bare servers send the same bytes. */
export async function recordResponses(
  { folder }: Bench,
  url: string,
  name: string,
  requests: readonly LoadRequest[],
): Promise<string> {
  const responses: Recorded[] = [];
  for (const { path, headers = {} } of requests) {
    const response = await fetch(url + path, { headers });
    if (response.status !== 200) throw new Error(`${path} returned ${response.status}`);
    const sent = [...response.headers].filter(([header]) => !dropped.includes(header));
    responses.push({ path, status: 200, headers: Object.fromEntries(sent), body: await response.text() });
  }
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(responses));
  return file;
}

/** Starts node:http alone, hono with prepared text, and hono that serializes values, as `c.json` does. */
export function bareServers(file: string): Promise<Running[]> {
  return Promise.all(["http", "hono-text", "hono"].map((kind) => start(kind, "bench/servers/bare.ts", [kind, file])));
}

/** Starts hono that looks up the key and the account in SQLite, without limits and checks. */
export function honoOnSqlite({ crm }: Bench, file: string): Promise<Running> {
  return start("hono-sqlite", "bench/servers/bare.ts", ["hono-sqlite", file, crm.file]);
}

/** Starts the hand-written server on another PostgreSQL, with as many tasks. */
export async function expressOnPostgres({ crm: { size } }: Bench): Promise<Running> {
  const database = await startDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const sql = readFileSync(join(root, "bench/servers/express-pg.sql"), "utf8");
  const filled = sql.replaceAll(":tasks", String(size.tasks)).replaceAll(":tenants", String(size.tenants));
  // VACUUM needs its own message.
  for (const statement of filled.split(";\n")) if (statement.trim() !== "") await client.query(statement);
  await client.end();
  const server = await start("express + pg", "bench/servers/express-pg.ts", [database.url]);
  const stop = async (): Promise<void> => {
    await server.stop();
    await database.stop();
  };
  // The time of its database counts too.
  return { ...server, cpuMs: () => server.cpuMs() + database.cpuMs(), stop };
}

/** Starts a PostgreSQL with its defaults. It ends with the benchmark. `cpuMs` returns its CPU time so far. */
export async function startDatabase() {
  const { url, stop } = await startPostgres();
  const kill = (): void => {
    for (const pid of postgresAt(url)) process.kill(Number(pid), "SIGQUIT");
  };
  process.once("exit", kill);
  const stopped = (): Promise<void> => {
    process.off("exit", kill);
    return stop();
  };
  return { url, stop: stopped, cpuMs: () => spentByPostgres(url) };
}

/**
 * Returns the CPU time of the PostgreSQL at this address and of its processes, ended ones included, in milliseconds.
 */
function spentByPostgres(url: string): number {
  const own = postgresAt(url);
  return [...own, ...own.flatMap((pid) => pgrep("-P", pid))].reduce((sum, pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      return sum + fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) * 10;
    } catch {
      return sum;
    }
  }, 0);
}

function postgresAt(url: string): string[] {
  return pgrep("-f", `postgres.* port=${new URL(url).port}`);
}

function pgrep(...args: readonly string[]): string[] {
  return spawnSync("pgrep", args, { encoding: "utf8" }).stdout.split("\n").filter(Boolean);
}

const tenantOf = (number: number): string => `00000000-0000-0000-0000-${String(number).padStart(12, "0")}`;

/** Returns requests for pages of the hand-written server at random positions. */
export function expressPages({ crm: { size } }: Bench, count: number): LoadRequest[] {
  const random = seededRandom(17);
  const perTenant = size.tasks / size.tenants;
  return Array.from({ length: count }, () => {
    const at = new Date(Date.parse("2025-01-06T08:00:00Z") + random(perTenant - 60) * 1_000).toISOString();
    const cursor = Buffer.from(JSON.stringify([at, tenantOf(0)])).toString("base64url");
    return { path: `/tasks?cursor=${cursor}`, headers: { "x-tenant": tenantOf(random(size.tenants)) } };
  });
}

/** Creates accounts on the hand-written server, and returns a request for each. */
export async function expressRecords(bench: Bench, url: string, count: number): Promise<LoadRequest[]> {
  const requests: LoadRequest[] = [];
  for (const { path, method = "POST", headers = {}, body = "" } of expressCreates(bench, count)) {
    const json = { ...headers, "content-type": "application/json" };
    const response = await fetch(url + path, { method, headers: json, body });
    const { data } = (await response.json()) as { data: { id: string } };
    requests.push({ path: `${path}/${data.id}`, headers });
  }
  return requests;
}

export function expressCreates({ crm: { size } }: Bench, count: number): LoadRequest[] {
  const random = seededRandom(19);
  return Array.from({ length: count }, () => {
    return {
      method: "POST",
      path: "/accounts",
      headers: { "x-tenant": tenantOf(random(size.tenants)) },
      body: newAccount(),
    };
  });
}

/** Starts json-server with as many tasks as it can handle. It has them in memory and scans them for a page. */
export async function jsonServer({ folder }: Bench, page: readonly unknown[]): Promise<Running> {
  const tasks = Array.from({ length: 10_000 }, (_, index) => ({ ...(page[index % page.length] as object), id: index }));
  const file = join(folder, "json-server.json");
  writeFileSync(file, JSON.stringify({ tasks }));
  return start("json-server", "bench/servers/json-server.ts", [file]);
}
