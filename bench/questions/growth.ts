import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Question } from "../bench.ts";
import { load, median, requestFile, roundsOf } from "../load.ts";
import { type Running, startProgram } from "../processes.ts";
import { creates, randomAccounts, randomPages } from "../requests.ts";
import type { Row } from "../results.ts";

const question = "Growth";

const delayWhy =
  "48 clients send requests as fast as they can. One turn of the loop responds to all that wait, and shares the processor with the commit worker";

/** Measures 1 to 256 clients, the memory after load, the event loop (how long it is blocked), and two processes. */
export const growth: Question = async (bench) => {
  const file = join(bench.folder, "delay.json");
  const probe = { node: ["--import", "./bench/servers/loop-delay.mjs"], env: { BENCH_DELAY: file } };
  const server = await startProgram(bench.crm.folder, probe);
  try {
    const pages = requestFile(bench.folder, "growth", await randomPages(bench.crm, server.url, 200));
    const rows = await clientRows(bench, server, pages);
    rows.push(await memoryRow(bench, server, pages));
    rows.push(await delayRow(bench, server, pages, file));
    rows.push(await twoProcessesRow(bench, server));
    return rows;
  } finally {
    await server.stop();
  }
};

async function clientRows({ isQuick, rounds, seconds }: Bench, server: Running, requests: string): Promise<Row[]> {
  const clients = isQuick ? [8, 64] : [1, 8, 64, 256];
  const seen = new Map<number, number[]>(clients.map((connections) => [connections, []]));
  const memory = new Map<number, number>();
  for (const counts of roundsOf(rounds)) {
    for (const connections of clients) {
      const { perSecond } = await load({ server, requests }, { connections, seconds });
      if (counts) seen.get(connections)?.push(perSecond);
      memory.set(connections, server.memoryMiB());
    }
  }
  const middle = (connections: number): number => median(seen.get(connections) ?? []);
  return clients.map((connections) => ({
    question,
    name: `Pages with ${connections} ${connections === 1 ? "client" : "clients"}, of those with 8`,
    reached: middle(connections) / middle(8),
    unit: "×",
    note: `${Math.round(middle(connections))} a second; ${Math.round(memory.get(connections) ?? 0)} MiB after the last round`,
  }));
}

/** An hour takes too long here, so the load lasts until the heap has been full and collected many times. */
async function memoryRow({ isQuick, seconds }: Bench, server: Running, requests: string): Promise<Row> {
  const before = server.memoryMiB();
  const more = isQuick ? 2 : seconds * 8;
  await load({ server, requests }, { connections: 32, seconds: more });
  const after = server.memoryMiB();
  return {
    ...{ question, name: "Memory after more load, of that after some", goal: { atMost: 1.2 } },
    ...{ reached: after / before, unit: "×" },
    note: `${Math.round(before)} and ${Math.round(after)} MiB; ${more} s in place of an hour`,
  };
}

/** Measures pages, records and creates at once, by 48 clients. */
async function delayRow({ crm, folder, seconds }: Bench, server: Running, pages: string, file: string): Promise<Row> {
  const how = { connections: 16, seconds };
  const records = requestFile(folder, "growth-records", randomAccounts(crm, 400));
  const made = requestFile(folder, "growth-creates", creates(crm, seconds * 8_000));
  process.kill(server.pid, "SIGUSR2");
  await Promise.all([pages, records, made].map((requests) => load({ server, requests }, how)));
  process.kill(server.pid, "SIGUSR2");
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { p99, max } = JSON.parse(readFileSync(file, "utf8")) as { p99: number; max: number };
  return {
    ...{ question, name: "Event-loop delay, p99, everything on", goal: { atMost: 20 }, why: delayWhy },
    ...{ reached: p99, unit: "ms", note: `at most ${max.toFixed(0)} ms` },
  };
}

/** Compares two processes on one processor with one process. Only contention for the file makes them slower. */
async function twoProcessesRow({ crm, folder, seconds }: Bench, first: Running): Promise<Row> {
  const requests = requestFile(folder, "growth-records", randomAccounts(crm, 400));
  const second = await startProgram(crm.folder);
  try {
    const how = { connections: 16, seconds };
    await load({ server: second, requests }, how);
    const alone = await load({ server: first, requests }, how);
    const both = await Promise.all([first, second].map((server) => load({ server, requests }, how)));
    const together = both.reduce((sum, { perSecond }) => sum + perSecond, 0);
    return {
      ...{ question, name: "Records by two processes on one file, of one process" },
      ...{ reached: together / alone.perSecond, unit: "×", note: "both on the one processor that servers have here" },
    };
  } finally {
    await second.stop();
  }
}
