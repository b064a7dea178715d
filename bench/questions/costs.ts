import { globSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Question } from "../bench.ts";
import { type LoadResult, load, requestFile } from "../load.ts";
import { startProgram } from "../processes.ts";
import { creates, randomAccounts, randomPages } from "../requests.ts";
import type { Row } from "../results.ts";

/** The parts of a request, by their source files. The first match counts. */
const parts: readonly (readonly [name: string, files: RegExp])[] = [
  ["SQL", /better-sqlite3|lib\/storage\//],
  ["authentication", /lib\/auth\/(?!.*rate-limiter)|lib\/http\/authenticate-request/],
  ["limit", /lib\/auth\/.*rate-limiter|lru-cache/],
  ["routing", /node_modules\/(?:@hono\/node-server|hono)\/|lib\/http\/(?:app|node)\.ts/],
  [
    "parsing and checks",
    /lib\/api\/(?:rules|endpoint-request|prepare-record)|lib\/model\/(?:parse-json|scalars|validate)|valibot|lib\/http\/(?:body|paths)/,
  ],
  ["record → JSON", /lib\/model\//],
  ["cursor", /lib\/api\/(?:cursor|list-endpoint)/],
  ["handling, headers, IDs", /lib\//],
  ["node:http and the socket", /node:/],
];

type Profile = {
  readonly nodes: readonly Node[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};
type Node = {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
};

/** Splits the time of a request into parts, from a profile of the server under load. */
export const costs: Question = async (bench) => {
  const rows = await profiled(bench, "page", (url) => randomPages(bench.crm, url, 200));
  if (bench.isQuick) return rows;
  rows.push(...(await profiled(bench, "record", async () => randomAccounts(bench.crm, 400))));
  rows.push(...(await profiled(bench, "create", async () => creates(bench.crm, bench.seconds * 12_000))));
  return rows;
};

async function profiled(
  bench: Bench,
  name: string,
  make: (url: string) => ReturnType<typeof randomPages>,
): Promise<Row[]> {
  const folder = join(bench.folder, `profile-${name}`);
  mkdirSync(folder);
  const server = await startProgram(bench.crm.folder, {
    // In the built program, all parts are in one file.
    file: "bin/crm-integrations.ts",
    node: ["--cpu-prof", `--cpu-prof-dir=${folder}`],
  });
  let loaded: LoadResult;
  try {
    const requests = requestFile(bench.folder, `profile-${name}`, await make(server.url));
    loaded = await load({ server, requests }, { connections: 32, seconds: bench.seconds + 2 });
  } finally {
    await server.stop();
  }
  // One profile per thread.
  const files = globSync(join(folder, "*.cpuprofile"));
  const profiles = files.map((file) => JSON.parse(readFileSync(file, "utf8")) as Profile);
  // Samples before the load belong to the start of the server.
  const shares = sharesOf(profiles, (bench.seconds + 1) * 1e6);
  return [...shares].map(([part, share]) => ({
    ...{ question: "Parts of a request in the process", name: `${name}: ${part}` },
    ...{ reached: share * loaded.cpuMicroseconds, unit: "µs", note: `${Math.round(share * 100)} %` },
  }));
}

/** The share of each part, over all threads. */
function sharesOf(profiles: readonly Profile[], lastMicroseconds: number): Map<string, number> {
  const times = new Map<string, number>();
  for (const profile of profiles) addTimes(times, profile, lastMicroseconds);
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  const sorted = [...times].toSorted(([, a], [, b]) => b - a);
  return new Map(sorted.map(([part, time]) => [part, time / total]));
}

/** Adds the time of built-in functions to the part that called them. */
function addTimes(times: Map<string, number>, { nodes, samples, timeDeltas }: Profile, lastMicroseconds: number): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const partOf = new Map<number, string>();
  const visit = (node: Node, inherited: string): void => {
    const own = node.callFrame.url === "" ? undefined : parts.find(([, files]) => files.test(node.callFrame.url))?.[0];
    // Node's crypto and strings count as part of their caller, its http as part of the socket.
    const isOfCaller = own === "node:http and the socket" && inherited !== "";
    const part = isOfCaller ? inherited : (own ?? inherited);
    partOf.set(node.id, part === "" ? "the rest: collection, native" : part);
    for (const id of node.children ?? []) visit(byId.get(id) as Node, part);
  };
  visit(nodes[0] as Node, "");
  let left = timeDeltas.reduce((sum, delta) => sum + delta, 0);
  for (const [index, id] of samples.entries()) {
    left -= timeDeltas[index] ?? 0;
    if (left > lastMicroseconds) continue;
    if (byId.get(id)?.callFrame.functionName === "(idle)") continue;
    const time = timeDeltas[index] ?? 0;
    const part = partOf.get(id) ?? "";
    times.set(part, (times.get(part) ?? 0) + time);
  }
}
