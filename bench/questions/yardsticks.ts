import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { startPostgres } from "../../test/support/postgres-server.ts";
import type { Bench } from "../bench.ts";
import type { Ask } from "../load.ts";
import { type Running, root, start } from "../processes.ts";
import { dice, newAccount } from "../requests.ts";
import type { Recorded } from "../servers/bare.ts";

const dropped = ["date", "connection", "keep-alive", "transfer-encoding", "content-length"];

/** Records the responses of the API in a file. The bare servers send the same bytes. */
export async function recorded({ folder }: Bench, url: string, name: string, asks: readonly Ask[]): Promise<string> {
  const responses: Recorded[] = [];
  for (const { path, headers = {} } of asks) {
    const response = await fetch(url + path, { headers });
    if (response.status !== 200) throw new Error(`${path} returned ${response.status}`);
    const sent = [...response.headers].filter(([header]) => !dropped.includes(header));
    responses.push({ path, status: 200, headers: Object.fromEntries(sent), body: await response.text() });
  }
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(responses));
  return file;
}

/** Bare node:http, bare hono with text that lies ready, and bare hono that makes JSON of values, as `c.json` does. */
export function bareServers(file: string): Promise<Running[]> {
  return Promise.all(["http", "hono-text", "hono"].map((kind) => start(kind, "bench/servers/bare.ts", [kind, file])));
}

/** Bare hono that asks SQLite whose the key is, and for the account: with no limit, and none of the checks. */
export function honoOnSqlite({ crm }: Bench, file: string): Promise<Running> {
  return start("hono-sqlite", "bench/servers/bare.ts", ["hono-sqlite", file, crm.file]);
}

/** The hand-written server on a PostgreSQL of its own, with as many tasks. */
export async function expressOnPostgres({ crm: { size } }: Bench): Promise<Running> {
  const database = await startDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const sql = readFileSync(join(root, "bench/servers/express-pg.sql"), "utf8");
  const filled = sql.replaceAll(":tasks", String(size.tasks)).replaceAll(":tenants", String(size.tenants));
  // VACUUM wants a message of its own.
  for (const statement of filled.split(";\n")) if (statement.trim() !== "") await client.query(statement);
  await client.end();
  const server = await start("express + pg", "bench/servers/express-pg.ts", [database.url]);
  const stop = async (): Promise<void> => {
    await server.stop();
    await database.stop();
  };
  // Its database works for it: what that spends counts too.
  return { ...server, cpuMs: () => server.cpuMs() + database.cpuMs(), stop };
}

/** A PostgreSQL with its defaults, and the processor time that it has used so far. It does not outlive the benchmark. */
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

/** Returns the CPU time of the PostgreSQL at this address and of its processes, ended ones included, in milliseconds. */
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

/** Pages of the hand-written server that begin anywhere. */
export function expressPages({ crm: { size } }: Bench, count: number): Ask[] {
  const roll = dice(17);
  const perTenant = size.tasks / size.tenants;
  return Array.from({ length: count }, () => {
    const at = new Date(Date.parse("2025-01-06T08:00:00Z") + roll(perTenant - 60) * 1_000).toISOString();
    const cursor = Buffer.from(JSON.stringify([at, tenantOf(0)])).toString("base64url");
    return { path: `/tasks?cursor=${cursor}`, headers: { "x-tenant": tenantOf(roll(size.tenants)) } };
  });
}

/** Single accounts of the hand-written server, which are made for it first. */
export async function expressRecords(bench: Bench, url: string, count: number): Promise<Ask[]> {
  const asks: Ask[] = [];
  for (const { path, method = "POST", headers = {}, body = "" } of expressCreates(bench, count)) {
    const json = { ...headers, "content-type": "application/json" };
    const response = await fetch(url + path, { method, headers: json, body });
    const { data } = (await response.json()) as { data: { id: string } };
    asks.push({ path: `${path}/${data.id}`, headers });
  }
  return asks;
}

export function expressCreates({ crm: { size } }: Bench, count: number): Ask[] {
  const roll = dice(19);
  return Array.from({ length: count }, () => {
    return {
      method: "POST",
      path: "/accounts",
      headers: { "x-tenant": tenantOf(roll(size.tenants)) },
      body: newAccount(),
    };
  });
}

/** json-server with as many tasks as it can handle: it holds them in memory and scans them for a page. */
export async function jsonServer({ folder }: Bench, page: readonly unknown[]): Promise<Running> {
  const tasks = Array.from({ length: 10_000 }, (_, index) => ({ ...(page[index % page.length] as object), id: index }));
  const file = join(folder, "json-server.json");
  writeFileSync(file, JSON.stringify({ tasks }));
  return start("json-server", "bench/servers/json-server.ts", [file]);
}
