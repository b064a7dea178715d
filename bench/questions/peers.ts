import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Question } from "../bench.ts";
import { type Load, type LoadResult, loadAlternately, median, requestFile, type Side } from "../load.ts";
import { keepProcessorsBusy, type Running, startProgram } from "../processes.ts";
import { creates, randomAccounts, randomPages } from "../requests.ts";
import { type Row, ratioRow } from "../results.ts";
import {
  insertPocketBaseTasks,
  type PocketBase,
  pocketBaseCreates,
  pocketBasePages,
  pocketBaseRecords,
  startPocketBase,
} from "../servers/pocketbase.ts";

const question = "PocketBase";
const createsPerSecond = 5_000;

/** Compares with each PocketBase program in the folder `PEERS`. There are no rows without it. */
export const peers: Question = async (bench) => {
  const { PEERS: folder } = process.env;
  if (folder === undefined) return [];
  const ours = await startProgram(bench.crm.folder);
  const rows: Row[] = [];
  try {
    for (const name of readdirSync(folder).sort()) {
      const peer = await startPocketBase(bench.folder, join(folder, name), name);
      try {
        rows.push(...(await compare(bench, ours, peer)));
      } finally {
        await peer.stop();
      }
    }
  } finally {
    await ours.stop();
  }
  return rows;
};

async function compare(bench: Bench, ours: Running, peer: PocketBase): Promise<Row[]> {
  const { crm, rounds, seconds } = bench;
  insertPocketBaseTasks(peer, crm.size.tasks);
  const file = (name: string, requests: Parameters<typeof requestFile>[2]) => requestFile(bench.folder, name, requests);
  const both = (name: string, sides: readonly Side[], how: Load) =>
    loadAlternately(sides, rounds, how).then((seen) =>
      ratioRow({ question, name: `${name}, of ${peer.name}` }, seen.get(ours.name), seen.get(peer.name)),
    );
  const pages = [
    { server: ours, requests: file("pages", await randomPages(crm, ours.url, 400)) },
    { server: peer, requests: file("peer-pages", pocketBasePages(peer, crm.size.tasks, 400)) },
  ];
  const records = [
    { server: ours, requests: file("records", randomAccounts(crm, 400)) },
    { server: peer, requests: file("peer-records", await pocketBaseRecords(peer, 400)) },
  ];
  const count = 2 * seconds * createsPerSecond;
  const newAccounts = [
    { server: ours, requests: () => file("creates", creates(crm, count)) },
    { server: peer, requests: () => file("peer-creates", pocketBaseCreates(peer, count)) },
  ];
  const rows = [
    await both("Page of 50", pages, { connections: 32, seconds }),
    await both("Record with 12 custom fields", records, { connections: 32, seconds }),
    await both("Create, 16 clients", newAccounts, { connections: 16, seconds }),
  ];
  const alone = { connections: 1, seconds };
  rows.push(medianRow("quiet processors", ours, peer, await loadAlternately(newAccounts, rounds, alone)));
  const stop = keepProcessorsBusy();
  try {
    rows.push(medianRow("busy processors", ours, peer, await loadAlternately(newAccounts, rounds, alone)));
  } finally {
    stop();
  }
  return rows;
}

/** Compares the median time of a create by one client with that of the peer. */
function medianRow(
  condition: string,
  ours: Running,
  peer: Running,
  seen: ReadonlyMap<string, readonly LoadResult[]>,
): Row {
  const p50s = (name: string) => (seen.get(name) ?? []).map(({ p50 }) => p50);
  const [mine, theirs] = [p50s(ours.name), p50s(peer.name)];
  const ratios = mine.map((each, round) => each / (theirs[round] ?? Number.NaN));
  return {
    question,
    name: `Median time of a create, one client, ${condition}, of ${peer.name}`,
    goal: { atMost: 1 },
    reached: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    unit: "×",
    why: "Our create writes about 27 pages of SQLite: one or two for each index, and five for the search index",
    note: `${median(mine).toFixed(2)} and ${median(theirs).toFixed(2)} ms`,
  };
}
