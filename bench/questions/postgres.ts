import { startCountingProxy } from "../../test/support/postgres-proxy.ts";
import type { Bench, Question } from "../bench.ts";
import { type Crm, fillPostgres } from "../database.ts";
import { type LoadRequest, type LoadResult, load, loadAlternately, median, requestFile, type Side } from "../load.ts";
import { type Running, startProgram, startProgramOn } from "../processes.ts";
import { creates, randomAccounts, randomPages } from "../requests.ts";
import { type Row, ratioRow } from "../results.ts";
import { expressCreates, expressOnPostgres, expressPages, expressRecords, startDatabase } from "./yardsticks.ts";

const question = "PostgreSQL";
const connections = 16;
const createsPerSecond = 4_000;
/**
 * The length of the warm-up in rounds. With two, V8 would still compile the code of a create during the first round.
 */
const warmUpRounds = 4;

/** One and two servers on one PostgreSQL, compared with the hand-written server, and one server on SQLite. */
export const postgres: Question = async (bench) => {
  const opened: { stop(): unknown }[] = [];
  const keep = async <T extends { stop(): unknown }>(opening: Promise<T>): Promise<T> => {
    const it = await opening;
    opened.unshift(it);
    return it;
  };
  try {
    const database = await keep(startDatabase());
    const crm = await fillPostgres(database.url, bench.crm, bench.isQuick ? 3 : 20);
    const proxy = await keep(startCountingProxy(database.url));
    const on = (name: string, url: string) => keep(startProgramOn(name, ["--database", url]));
    const [first, second, watched, sqlite, express] = await Promise.all([
      on("one", database.url),
      on("second", database.url),
      on("watched", proxy.url),
      keep(startProgram(bench.crm.folder)),
      keep(expressOnPostgres({ ...bench, crm })),
    ]);
    const one = { ...first, cpuMs: () => first.cpuMs() + database.cpuMs() };
    const rows = await loaded({ ...bench, crm }, { one, second, sqlite, express });
    return [...rows, ...(await statementRows(crm, watched, proxy.traffic))];
  } finally {
    for (const each of opened) await each.stop();
  }
};

type Sides = { readonly one: Running; readonly second: Running; readonly sqlite: Running; readonly express: Running };

async function loaded(bench: Bench, { one, second, sqlite, express }: Sides): Promise<Row[]> {
  const { crm, folder, rounds, seconds, isQuick } = bench;
  const file = (name: string, requests: readonly LoadRequest[]): string =>
    requestFile(folder, `postgres-${name}`, requests);
  let files = 0;
  // Two files are in use at a time. A request that is sent twice would be a replay.
  const fresh = (make: (count: number) => readonly LoadRequest[]) => () =>
    file(`creates-${files++ % 4}`, make((warmUpRounds * seconds + 1) * createsPerSecond));
  const records = file("records", randomAccounts(crm, 400));
  const ours = fresh((count) => creates(crm, count));
  const ofTenants = (from: number, to: number) =>
    fresh((count) => creates({ ...crm, tenants: crm.tenants.slice(from, to) }, count));
  const half = Math.ceil(crm.tenants.length / 2);
  const ofOne = ofTenants(0, 1);
  const expressOfOne = fresh((count) => expressCreates(withOneTenant(bench), count));
  const questions = {
    "Page of 50": {
      here: file("pages", await randomPages(crm, one.url, 200)),
      sqlite: file("sqlite-pages", await randomPages(crm, sqlite.url, 200)),
      express: file("express-pages", expressPages(bench, 2_000)),
    },
    "Record with 12 custom fields": {
      here: records,
      sqlite: records,
      express: file("express-records", await expressRecords(bench, express.url, 200)),
    },
    "Create, 16 clients": { here: ours, sqlite: ours, express: fresh((count) => expressCreates(bench, count)) },
    "Create, 16 clients, one tenant": { here: ofOne, sqlite: ofOne, express: expressOfOne },
  };
  const rows: Row[] = [];
  for (const [what, { here, ...others }] of Object.entries(questions)) {
    const { goal = {}, byProcessor, twice, routed } = goals[what] ?? {};
    const twiceTheClients = { server: one, second, connections: 2 * connections };
    const sides: Side[] = [
      { name: "one", server: one, requests: here },
      { name: "two", server: one, second, requests: here },
      ...(twice ? [{ ...twiceTheClients, name: "twice", requests: here }] : []),
      ...(routed
        ? [
            {
              ...twiceTheClients,
              name: "routed",
              requests: ofTenants(0, half),
              secondRequests: ofTenants(half, crm.tenants.length),
            },
          ]
        : []),
      { name: "sqlite", server: sqlite, requests: others.sqlite },
      { name: "express", server: express, requests: others.express },
    ];
    const seen = isQuick
      ? await once(sides, rows.length === 0)
      : await loadAlternately(sides, Math.min(rounds, 2), {
          connections,
          seconds,
          warmUpSeconds: warmUpRounds * seconds,
        });
    const row = (name: string, side: string, other: string, goal: Goal): Row =>
      ratioRow({ question, name: `${what}: ${name}`, ...goal }, seen.get(side), seen.get(other));
    const byTime = (name: string, atLeast: number, side: string, other: string): Row =>
      byProcessorRow(`${what}: ${name}, by processor time`, atLeast, seen.get(side), seen.get(other));
    const rowsOfOne = [
      row("one server, of hand-written Express + pg", "one", "express", goal),
      ...(byProcessor ? [byTime("one server, of hand-written Express + pg", byProcessor, "one", "express")] : []),
      row("one server, of one on SQLite", "one", "sqlite", {}),
      row("two servers, of one", "two", "one", {}),
      ...(twice ? [byTime("two servers with twice the clients, of one", twice, "twice", "one")] : []),
      ...(routed
        ? [byTime("two servers with twice the clients, routed by API key, of one", routed, "routed", "one")]
        : []),
      processorRow(`${what}: processor time, PostgreSQL's part included`, seen.get("one")),
    ];
    rows.push(...rowsOfOne.filter(({ reached }) => Number.isFinite(reached)));
  }
  return rows;
}

type Goal = Pick<Row, "goal" | "why">;

type Goals = {
  readonly goal?: Goal;
  readonly byProcessor?: number;
  readonly twice?: number;
  /** Each of two servers gets the requests of half of the tenants. */
  readonly routed?: number;
};

const createWhy =
  "A create also writes an event, the response that a retry gets, and the search index. An account has eight indexes instead of three, and foreign keys";

const goals: Readonly<Record<string, Goals>> = {
  "Page of 50": { byProcessor: 0.75 },
  "Record with 12 custom fields": { byProcessor: 0.65 },
  "Create, 16 clients": { goal: { goal: { atLeast: 0.5 }, why: createWhy }, routed: 0.9 },
  "Create, 16 clients, one tenant": { goal: { goal: { atLeast: 0.5 }, why: createWhy }, twice: 0.9 },
};

/** Returns the rate of a side in the rate of another, by the processor time of the servers and their PostgreSQL. */
function byProcessorRow(
  name: string,
  atLeast: number,
  ours: readonly LoadResult[] = [],
  theirs: readonly LoadResult[] = [],
): Row {
  const cost = (seen: readonly LoadResult[]) => median(seen.map(({ cpuMicroseconds }) => cpuMicroseconds));
  return { question, name, goal: { atLeast }, reached: cost(theirs) / cost(ours), unit: "×" };
}

function withOneTenant(bench: Bench): Bench {
  return { ...bench, crm: { ...bench.crm, size: { ...bench.crm.size, tenants: 1 } } };
}

/** Runs all sides, or only that with two servers, for a second each. A quick run only checks that they work. */
async function once(sides: readonly Side[], all: boolean): Promise<Map<string, LoadResult[]>> {
  const seen = new Map<string, LoadResult[]>();
  for (const side of sides.filter(({ second }) => all || second !== undefined)) {
    seen.set(side.name ?? "", [await load(side, { connections, seconds: 1 })]);
  }
  return seen;
}

function processorRow(name: string, seen: readonly LoadResult[] = []): Row {
  return { question, name, reached: median(seen.map((each) => each.cpuMicroseconds)), unit: "µs" };
}

/**
 * Counts the statements of single requests of one tenant. The first ones also prepare statements and fill the cache of
 * settings. The median excludes them.
 */
async function statementRows(
  whole: Crm,
  server: Running,
  counts: Awaited<ReturnType<typeof startCountingProxy>>["traffic"],
) {
  const crm = { ...whole, tenants: whole.tenants.slice(0, 1) };
  const kinds = [
    { what: "a page of 50", atMost: 2, requests: await randomPages(crm, server.url, 12) },
    { what: "a record", atMost: 2, requests: randomAccounts(crm, 12) },
    { what: "a create", atMost: 2, requests: creates(crm, 12) },
  ];
  const rows: Row[] = [];
  for (const { what, atMost, requests } of kinds) {
    const each: { statements: number; roundTrips: number }[] = [];
    for (const { path, headers = {}, ...init } of requests) {
      const before = counts();
      const sent = init.body === undefined ? headers : { ...headers, "content-type": "application/json" };
      const response = await fetch(server.url + path, { ...init, headers: sent });
      if (!response.ok) throw new Error(`${path} returned ${response.status} ${await response.text()}`);
      await response.text();
      const after = counts();
      each.push({
        statements: after.statements - before.statements,
        roundTrips: after.roundTrips - before.roundTrips,
      });
    }
    const reached = median(each.map(({ roundTrips }) => roundTrips));
    const note = `${median(each.map(({ statements }) => statements))} statements`;
    rows.push({ question, name: `Round trips for ${what}`, goal: { atMost }, reached, unit: "", note });
  }
  return rows;
}
