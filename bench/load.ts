import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onOtherProcessor, type Running } from "./processes.ts";

/** A request of the load generator. */
export type LoadRequest = {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** The result of one run of the load generator. Times are in milliseconds. */
export type LoadResult = {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Responses with status 400 or higher, and requests without a response. */
  readonly failed: number;
  /** CPU time of the server per request, in microseconds. */
  readonly cpuMicroseconds: number;
};

/** A server in a comparison, with its requests. */
export type Side = {
  readonly name?: string;
  readonly server: Running;
  /** Gets half of the clients. */
  readonly second?: Running;
  /** The number of clients, if it isn't that of the other sides. */
  readonly connections?: number;
  /** A file of `requestFile`, or a function that writes a new one per round, because a create succeeds only once. */
  readonly requests: string | (() => string);
  /** The requests of `second`, if they aren't those of `server`. */
  readonly secondRequests?: () => string;
};
export type Load = {
  readonly connections: number;
  readonly seconds: number;
  /** The length of the warm-up round. Default: twice `seconds`. */
  readonly warmUpSeconds?: number;
};

/** Writes the requests to a file for the load generator, which sends them in this order. */
export function requestFile(folder: string, name: string, requests: readonly LoadRequest[]): string {
  const file = join(folder, `${name}.requests`);
  writeFileSync(file, requests.map(toHttp).join(""));
  return file;
}

function toHttp({ method = "GET", path, headers = {}, body }: LoadRequest): string {
  const content: Readonly<Record<string, string>> =
    body === undefined ? {} : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host: "127.0.0.1", ...headers, ...content }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body ?? ""}\0`;
}

/** Runs wrk for some seconds against one or two servers. @throws Error if wrk isn't installed */
export async function load({ second, secondRequests, ...side }: Side, how: Load): Promise<LoadResult> {
  const { connections = how.connections } = side;
  if (second === undefined) return loadOne(side, { ...how, connections });
  const each = { ...how, connections: connections / 2 };
  const other = { ...side, server: second, requests: secondRequests ?? side.requests };
  const both = await Promise.all([loadOne(side, each), loadOne(other, each)]);
  const sum = (of: (one: LoadResult) => number): number => both.reduce((all, one) => all + of(one), 0);
  const requests = sum((one) => one.requests);
  return {
    requests,
    perSecond: sum(({ perSecond }) => perSecond),
    p50: sum(({ p50 }) => p50) / 2,
    p99: Math.max(...both.map(({ p99 }) => p99)),
    failed: sum(({ failed }) => failed),
    cpuMicroseconds: sum((one) => one.cpuMicroseconds * one.requests) / Math.max(1, requests),
  };
}

async function loadOne(
  { server, requests }: Omit<Side, "second" | "secondRequests">,
  { connections, seconds }: Load,
): Promise<LoadResult> {
  const script = fileURLToPath(new URL("load.lua", import.meta.url));
  const options = ["-t1", `-c${connections}`, `-d${seconds}`, "--timeout", "20s", "-s", script];
  const [command, args] = onOtherProcessor("wrk", [
    ...options,
    server.url,
    "--",
    typeof requests === "string" ? requests : requests(),
  ]);
  const before = server.cpuMs();
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  const last = out.trim().split("\n").at(-1) ?? "";
  if (!last.startsWith("{")) throw new Error(`wrk did not run (apt-get install wrk brings it): ${errors || out}`);
  const seen = JSON.parse(last) as Readonly<Record<string, number>>;
  const { requests: count = 0, microseconds = 1, rejected = 0, broken = 0, p50 = 0, p99 = 0 } = seen;
  return {
    requests: count,
    perSecond: (count / microseconds) * 1e6,
    p50: p50 / 1000,
    p99: p99 / 1000,
    failed: rejected + broken,
    cpuMicroseconds: ((server.cpuMs() - before) * 1000) / Math.max(1, count),
  };
}

/** Runs the sides alternately: A B C A B C. The warm-up round is longer. */
export async function loadAlternately(
  sides: readonly Side[],
  rounds: number,
  how: Load,
): Promise<Map<string, LoadResult[]>> {
  const seen = new Map<string, LoadResult[]>(sides.map((side) => [nameOf(side), []]));
  for (const [round, counts] of roundsOf(rounds).entries()) {
    // Alternate which side runs first after a pause.
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const loaded = await load(side, counts ? how : { ...how, seconds: how.warmUpSeconds ?? 2 * how.seconds });
      if (loaded.failed > 0) process.stderr.write(`${nameOf(side)}: ${loaded.failed} requests failed\n`);
      if (counts) seen.get(nameOf(side))?.push(loaded);
    }
  }
  return seen;
}

/** Whether each round counts. The first of several rounds is the warm-up. */
export function roundsOf(rounds: number): boolean[] {
  return [...(rounds > 1 ? [false] : []), ...new Array<boolean>(rounds).fill(true)];
}

function nameOf({ name, server }: Side): string {
  return name ?? server.name;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}
