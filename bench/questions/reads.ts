import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Question } from "../bench.ts";
import { type LoadRequest, type LoadResult, loadAlternately, median, requestFile, type Side } from "../load.ts";
import { type Running, root, startProgram } from "../processes.ts";
import { pageAt, randomAccounts, randomPages } from "../requests.ts";
import { type Row, ratioRow } from "../results.ts";
import {
  bareServers,
  expressOnPostgres,
  expressPages,
  honoOnSqlite,
  jsonServer,
  recordResponses,
} from "./yardsticks.ts";

const question = "Reads";
const connections = 32;
/** The bare servers hold recorded responses of 20 kB each in memory. */
const recordedCount = 400;

const why =
  "hono only finds a prepared response by its path. Our server also checks the API key and the rate limit, runs two SQL statements and sends more headers: see the costs of a request below";

const recordWhy =
  "hono only finds a prepared response by its path. Two rows below, hono also reads the API key and the record from SQLite, without checks";

/** Compares pages and single records with servers that return the same bytes and do nothing else. */
export const reads: Question = async (bench) => {
  const ours = await startProgram(bench.crm.folder);
  const rows: Row[] = [];
  try {
    const pages = await randomPages(bench.crm, ours.url, recordedCount);
    rows.push(...(await pageRows(bench, ours, pages)));
    rows.push(...(await recordRows(bench, ours)));
    rows.push(await lastPageRow(bench, ours));
  } finally {
    await ours.stop();
  }
  return [...rows, ...loopRows(bench, rows)];
};

async function pageRows(bench: Bench, ours: Running, pages: readonly LoadRequest[]): Promise<Row[]> {
  const file = await recordResponses(bench, ours.url, "pages", pages);
  const requests = requestFile(bench.folder, "pages", pages);
  const bare = await bareServers(file);
  const express = await expressOnPostgres(bench);
  const first = JSON.parse((JSON.parse(readFileSync(file, "utf8")) as { body: string }[])[0]?.body ?? "") as {
    data: [];
  };
  const json = await jsonServer(bench, first.data);
  try {
    const sides: Side[] = [
      ...[ours, ...bare].map((server) => ({ server, requests })),
      { server: express, requests: requestFile(bench.folder, "express", expressPages(bench, 4_000)) },
      { server: json, requests: requestFile(bench.folder, "json", [{ path: "/tasks?_page=7&_limit=50" }]) },
    ];
    const seen = await loadAlternately(sides, bench.rounds, { connections, seconds: bench.seconds });
    const row = (name: string, other: string, goal?: Row["goal"], note?: string) =>
      ratioRow(
        { question, name, why, ...(goal && { goal }), ...(note && { note }) },
        seen.get(ours.name),
        seen.get(other),
      );
    return [
      row("Page of 50, of bare hono with `c.json` of the same values", "hono", { atLeast: 0.45 }),
      row("Page of 50, of bare hono with prepared text", "hono-text"),
      row("Page of 50, of bare node:http with prepared text", "http"),
      row("Page of 50, of hand-written Express + pg", "express + pg", { atLeast: 3 }),
      row(
        "Page of 50, of json-server",
        "json-server",
        undefined,
        "json-server has 10,000 tasks in memory, by page number",
      ),
      processorRow("Page of 50: processor time", seen.get(ours.name)),
    ];
  } finally {
    for (const server of [...bare, express, json]) await server.stop();
  }
}

async function recordRows(bench: Bench, ours: Running): Promise<Row[]> {
  const accounts = randomAccounts(bench.crm, recordedCount);
  const file = await recordResponses(bench, ours.url, "accounts", accounts);
  const bare = [...(await bareServers(file)), await honoOnSqlite(bench, file)];
  const requests = requestFile(bench.folder, "accounts", accounts);
  try {
    const sides = [ours, ...bare].map((server) => ({ server, requests }));
    const seen = await loadAlternately(sides, bench.rounds, { connections, seconds: bench.seconds });
    const row = (name: string, other: string, goal?: Row["goal"]) =>
      ratioRow({ question, name, why: recordWhy, ...(goal && { goal }) }, seen.get(ours.name), seen.get(other));
    return [
      row("Record with 12 custom fields, of bare hono with `c.json`", "hono", { atLeast: 0.45 }),
      row("Record with 12 custom fields, of bare hono, prepared text", "hono-text"),
      row("Record with 12 custom fields, of hono that reads key and record from SQLite", "hono-sqlite"),
      row("Record with 12 custom fields, of bare node:http, prepared text", "http"),
      processorRow("Record: processor time", seen.get(ours.name)),
    ];
  } finally {
    for (const server of bare) await server.stop();
  }
}

/** Compares two kinds of requests to the same server, alternating. */
async function lastPageRow(bench: Bench, server: Running): Promise<Row> {
  const some = bench.crm.tenants.slice(0, 50);
  const at = async (numberOf: (tasks: number) => number) => {
    const requests: LoadRequest[] = [];
    for (const tenant of some) requests.push(await pageAt(tenant, server.url, numberOf(tenant.tasks)));
    return requests;
  };
  const sides: Side[] = [
    { name: "first", server, requests: requestFile(bench.folder, "first", await at(() => 0)) },
    { name: "last", server, requests: requestFile(bench.folder, "last", await at((tasks) => tasks - 52)) },
  ];
  const seen = await loadAlternately(sides, bench.rounds, { connections, seconds: bench.seconds });
  const head = { question, name: "The last page costs, of the first", goal: { atMost: 1.1 } } as const;
  return ratioRow(head, seen.get("first"), seen.get("last"));
}

function processorRow(name: string, ours: readonly LoadResult[] = []): Row {
  return { question, name, reached: median(ours.map((one) => one.cpuMicroseconds)), unit: "µs" };
}

/** Measures the share of SQLite. */
function loopRows({ crm }: Bench, rows: readonly Row[]): Row[] {
  const tenants = crm.tenants.map(({ id, accounts: [account] }, index) => {
    return { id, account, at: Date.parse("2025-01-06T08:00:00Z") + index * 10_000 };
  });
  const args = ["bench/servers/sqlite-loop.ts", crm.file, JSON.stringify(tenants)];
  const figures = JSON.parse(execFileSync(process.execPath, args, { cwd: join(root), encoding: "utf8" })) as {
    page: number;
    record: number;
  };
  const whole = (name: string): number => rows.find((row) => row.name === name)?.reached ?? Number.NaN;
  const part = (name: string, reached: number, all: number): Row => {
    return { question, name, reached, unit: "µs", note: `${Math.round((reached / all) * 100)} % of the above` };
  };
  return [
    part("The SQL of a page through bare better-sqlite3, in a loop", figures.page, whole("Page of 50: processor time")),
    part("The SQL of a record, so", figures.record, whole("Record: processor time")),
  ];
}
