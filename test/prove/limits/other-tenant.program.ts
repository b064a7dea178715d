import { Agent, get } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

/** The results of a number of requests. */
export type Report = {
  /** The statuses other than 200, and the errors. */
  readonly failures: readonly string[];
  readonly p99Ms: number;
  readonly maxMs: number;
};

const [url = "", key = ""] = process.argv.slice(2);
const everyMs = 20;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Resolves with the status of the response or the code of the error. */
function request(): Promise<string> {
  return new Promise((resolve) => {
    const outgoing = get(`${url}/tasks?limit=1`, { agent, headers: { "x-api-key": key } }, (incoming) => {
      incoming.resume();
      incoming.once("close", () => resolve(incoming.complete ? String(incoming.statusCode) : "incomplete"));
    });
    outgoing.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

/** Sends a request every 20 ms, or when the previous one has its response if that takes longer. */
async function measure(count: number): Promise<Report> {
  const latencies: number[] = [];
  const failures: string[] = [];
  for (let times = 0; times < count; times++) {
    const start = performance.now();
    const result = await request();
    const elapsed = performance.now() - start;
    latencies.push(elapsed);
    if (result !== "200") failures.push(result);
    await pause(Math.max(0, everyMs - elapsed));
  }
  latencies.sort((a, b) => a - b);
  const quantile = (share: number): number => Math.round(latencies[Math.ceil(count * share) - 1] ?? 0);
  return { failures, p99Ms: quantile(0.99), maxMs: quantile(1) };
}

// Opens the connection.
await measure(10);
process.stdout.write("ready\n");
for await (const count of createInterface(process.stdin))
  process.stdout.write(`${JSON.stringify(await measure(Number(count)))}\n`);
agent.destroy();
