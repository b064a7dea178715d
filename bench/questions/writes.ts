import { execFileSync } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Question } from "../bench.ts";
import {
  type Load,
  type LoadRequest,
  type LoadResult,
  load,
  loadAlternately,
  median,
  requestFile,
  roundsOf,
} from "../load.ts";
import { type Running, root, startProgram } from "../processes.ts";
import { batchCreates, batchSize, creates, randomAccounts } from "../requests.ts";
import { type Row, ratioRow } from "../results.ts";
import { type Syncs, watchSyncs } from "../syncs.ts";
import { expressCreates, expressOnPostgres } from "./yardsticks.ts";

const question = "Writes";
/** More than any machine creates in a second. A request that is sent twice would be a replay. */
const createsPerSecond = 5_000;
const batchesPerSecond = 200;

const createWhy =
  "About 40 % of it is SQL, which writes pages of tables and indexes: the rows of fsyncs have their number. The same SQL through bare better-sqlite3 is measured below";
const replayWhy = "A replay also reads and hashes the request body";
const slowDiskWhy = "Reads do not wait for the disk, but share the one processor with the thread that commits";

/** Creates with an Idempotency-Key, twelve custom fields and a unique name, each durable before its response. */
export const writes: Question = async (bench) => {
  const syncs = watchSyncs(bench.folder);
  const ours = await startProgram(bench.crm.folder, { env: syncs.env });
  const rows: Row[] = [];
  const express = new Map<number, number>();
  try {
    for (const [connections, atMost] of [
      [1, 1.1],
      [64, 0.15],
    ] as const) {
      rows.push(await syncsRow(bench, ours, syncs, { connections, seconds: bench.seconds }, atMost));
    }
    rows.push(...(await againstPostgres(bench, ours, express)));
    rows.push(await batchRow(bench, ours), await replayRow(bench, ours));
  } finally {
    await ours.stop();
  }
  return [...rows, ...loopRows(bench, express), await slowDiskRow(bench)];
};

/** Returns a function that writes a file of new requests. */
function fresh(bench: Bench, name: string, seconds: number): () => string {
  let round = 0;
  return () => requestFile(bench.folder, `${name}-${round++ % 2}`, creates(bench.crm, 2 * seconds * createsPerSecond));
}

async function syncsRow(
  bench: Bench,
  server: Running,
  { count, pages }: Syncs,
  how: Load,
  atMost: number,
): Promise<Row> {
  const requests = fresh(bench, "syncs", how.seconds);
  if (!bench.isQuick) await load({ server, requests }, how);
  const before = { syncs: count(), pages: pages() };
  const { requests: made, perSecond } = await load({ server, requests }, how);
  const clients = how.connections === 1 ? "one client" : `${how.connections} clients`;
  const written = ((pages() - before.pages) / made).toFixed(1);
  const note = `${Math.round(perSecond)} creates a second; each writes ${written} pages to the WAL or the database`;
  return {
    ...{ question, name: `fsyncs per create, ${clients}`, goal: { atMost } },
    ...{ reached: (count() - before.syncs) / made, unit: "", note },
  };
}

/** Also records the rate of the hand-written server, by the number of clients. */
async function againstPostgres(bench: Bench, ours: Running, seenOfExpress: Map<number, number>): Promise<Row[]> {
  const express = await expressOnPostgres({ ...bench, crm: { ...bench.crm, size: { tenants: 100, tasks: 1_000 } } });
  const rows: Row[] = [];
  try {
    for (const [connections, atLeast] of [
      [1, 0.7],
      [16, 0.8],
    ] as const) {
      const requests = fresh(bench, "create", bench.seconds);
      const count = 2 * bench.seconds * createsPerSecond;
      const sides = [
        { server: ours, requests },
        { server: express, requests: () => requestFile(bench.folder, "express", expressCreates(bench, count)) },
      ];
      const seen = await loadAlternately(sides, bench.rounds, { connections, seconds: bench.seconds });
      seenOfExpress.set(connections, median((seen.get(express.name) ?? []).map(({ perSecond }) => perSecond)));
      const name = `Create, ${connections === 1 ? "one client" : `${connections} clients`}, of hand-written Express + pg`;
      rows.push(
        ratioRow({ question, name, goal: { atLeast }, why: createWhy }, seen.get(ours.name), seen.get(express.name)),
      );
    }
  } finally {
    await express.stop();
  }
  return rows;
}

/** Runs the same statements in SQLite alone, which is the upper limit. */
function loopRows({ crm, folder, isQuick }: Bench, express: ReadonlyMap<number, number>): Row[] {
  const [copy, requestsFile] = [join(folder, "create-loop.db"), join(folder, "create-loop.json")];
  copyFileSync(crm.file, copy);
  writeFileSync(requestsFile, JSON.stringify(creates(crm, isQuick ? 150 : 9_000)));
  const args = ["bench/servers/create-loop.ts", crm.file, copy, requestsFile];
  const figures = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" })) as Readonly<
    Record<"one" | "sixteen", { readonly perSecond: number; readonly commitMicroseconds: number }>
  >;
  const row = (name: string, connections: number, { perSecond, commitMicroseconds }: typeof figures.one): Row => ({
    ...{ question, name: `The SQL of creates through bare better-sqlite3, ${name}, of Express + pg's creates` },
    ...{ reached: perSecond / (express.get(connections) ?? Number.NaN), unit: "×" },
    note: `${Math.round(perSecond)} a second; ${Math.round(commitMicroseconds)} µs of each are the COMMIT`,
  });
  return [row("one by one", 1, figures.one), row("16 in a transaction", 16, figures.sixteen)];
}

/** Compares accounts per second of batches with those of single creates. */
async function batchRow(bench: Bench, server: Running): Promise<Row> {
  const batches = () =>
    requestFile(bench.folder, "batches", batchCreates(bench.crm, 2 * bench.seconds * batchesPerSecond));
  const sides = [
    { name: "batch", server, requests: batches },
    { name: "single", server, requests: fresh(bench, "single", bench.seconds) },
  ];
  const seen = await loadAlternately(sides, bench.rounds, { connections: 16, seconds: bench.seconds });
  const items = (seen.get("batch") ?? []).map((each) => ({
    ...each,
    perSecond: each.perSecond * batchSize,
    cpuMicroseconds: each.cpuMicroseconds / batchSize,
  }));
  const name = `Accounts of batches of ${batchSize}, 16 clients, of single creates`;
  return ratioRow({ question, name }, items, seen.get("single"));
}

async function replayRow(bench: Bench, server: Running): Promise<Row> {
  const requests = creates(bench.crm, 400);
  for (const { path, ...init } of requests) await fetch(server.url + path, withType(init));
  const made = requestFile(bench.folder, "replays", requests);
  const read = requestFile(bench.folder, "reads", randomAccounts(bench.crm, 400));
  const sides = [
    { name: "replay", server, requests: made },
    { name: "read", server, requests: read },
  ];
  const seen = await loadAlternately(sides, bench.rounds, { connections: 32, seconds: bench.seconds });
  const head = { question, name: "A replay costs, of a single read", goal: { atMost: 1.2 }, why: replayWhy } as const;
  return ratioRow(head, seen.get("read"), seen.get("replay"));
}

function withType({ headers, ...init }: Omit<LoadRequest, "path">): RequestInit {
  return { ...init, headers: { ...headers, "content-type": "application/json" } } as RequestInit;
}

/** Reads while others write, on a disk whose every fsync takes 20 ms longer. The first round doesn't count. */
async function slowDiskRow(bench: Bench): Promise<Row> {
  const syncs = watchSyncs(bench.folder, 20);
  const server = await startProgram(bench.crm.folder, { env: syncs.env });
  try {
    const reading = requestFile(bench.folder, "slow-reads", randomAccounts(bench.crm, 400));
    const seconds = bench.seconds + 1;
    const writing = fresh(bench, "slow", seconds);
    const rounds: LoadResult[] = [];
    for (const counts of roundsOf(bench.rounds)) {
      const [reads] = await Promise.all([
        load({ server, requests: reading }, { connections: 4, seconds }),
        load({ server, requests: writing }, { connections: 4, seconds }),
      ]);
      if (counts) rounds.push(reads);
    }
    const alone = await load({ server, requests: reading }, { connections: 4, seconds: 1 });
    const p99s = rounds.map(({ p99 }) => p99);
    return {
      ...{
        question,
        name: "p99 of reads during writes, every fsync 20 ms slower",
        goal: { atMost: 15 },
        why: slowDiskWhy,
      },
      ...{ reached: median(p99s), spread: [Math.min(...p99s), Math.max(...p99s)], unit: "ms" },
      note: `p50 ${median(rounds.map(({ p50 }) => p50)).toFixed(1)} ms; p99 ${alone.p99.toFixed(1)} ms without writes`,
    };
  } finally {
    await server.stop();
  }
}
