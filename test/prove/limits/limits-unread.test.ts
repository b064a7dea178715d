import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startLineProgram } from "../failures/line-program.ts";
import { figures, size } from "../size.ts";
import type { Report } from "./other-tenant.program.ts";
import { affordable, assertServed, base, limitsServer } from "./server.ts";
import { requestPages, type SlowClient } from "./unread.ts";

const harness = "limits-unread";
const timeout = size(120_000, 1_200_000);
const requestsOfOther = size(100, 1_500);
/** Measured on two cores. The server needs about 170 MiB before the attack. */
const maxPeakMiB = 600;
/** The longest text, of characters that take the most bytes per UTF-16 unit. 22 of these tasks fill a page of 4 MiB. */
const description = "語".repeat(65_536);
const taskCount = 100;

type Attack = { readonly clients: number; readonly pipelined: number; readonly keys: number };

const attacks: Readonly<Record<string, Attack>> = {
  "one client that pipelines 180 requests": { clients: 1, pipelined: 180, keys: 1 },
  "clients that pipeline 180 requests each": { clients: size(20, 200), pipelined: 180, keys: 10 },
  "slow readers with one API key": { clients: size(200, 1_250), pipelined: 1, keys: 1 },
  "slow readers with ten API keys": { clients: size(200, 1_250), pipelined: 1, keys: 10 },
};

/**
 * Starts a server without rate limits and with two tenants, and a client that measures the responses to the other
 * tenant.
 */
async function start(t: TestContext) {
  const server = await limitsServer(t, { file: join(temporaryFolder(t), "crm.db"), unlimited: true }, 2);
  const [keys = [], [otherKey = ""] = []] = server.keys;
  const create = async (key = "", task: unknown): Promise<void> => {
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const response = await fetch(`${server.url}${base}/tasks`, { method: "POST", headers, body: JSON.stringify(task) });
    assert.equal(response.status, 201, await response.text());
  };
  for (let index = 0; index < taskCount; index++) await create(keys[0], { title: "Long", description });
  await create(otherKey, { title: "Short" });
  const other = await startLineProgram(t, "limits/other-tenant.program.ts", server.url + base, otherKey);
  return { ...server, keys, measure: async (): Promise<Report> => JSON.parse(await other.send(`${requestsOfOther}`)) };
}

/** Counts the responses by status. Each 503 must have Retry-After. */
function countStatuses(clients: readonly SlowClient[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const head of clients.map((client) => client.head())) {
    if (!head.includes("\r\n\r\n")) continue;
    const status = Number(head.slice(9, 12));
    counts.set(status, (counts.get(status) ?? 0) + 1);
    if (status === 503) assert.match(head, /^retry-after: \d+\r$/im);
  }
  return counts;
}

for (const [name, { clients: wanted, pipelined, keys: keyCount }] of Object.entries(attacks)) {
  test(`${name}: unread responses don't exhaust the memory or block another tenant`, { timeout }, async (t) => {
    const { url, keys, measure, state, end } = await start(t);
    const before = await state();
    const clients = Array.from({ length: affordable(t, wanted) }, (_, index) =>
      requestPages(url, keys[index % keyCount] ?? "", pipelined, index % 2 === 1),
    );
    const { failures, p99Ms, maxMs } = await measure();
    assert.deepEqual(failures, []);
    const { peakMiB } = await state();
    assert.ok(peakMiB < maxPeakMiB, `the server takes ${peakMiB} MiB`);
    // More pages than the limits allow are requested.
    if (wanted >= 200) while (!countStatuses(clients).has(503)) await pause(100);
    const statuses = countStatuses(clients);
    assert.deepEqual(
      [...statuses.keys()].filter((status) => status !== 200 && status !== 503),
      [],
    );
    for (const { socket } of clients) socket.destroy();
    while ((await state()).connections > before.connections) await pause(50);
    for (const key of keys.slice(0, keyCount)) await assertServed(url, key, "/tasks?limit=200");
    await end();
    figures(t, harness, {
      clients: clients.length,
      "API keys": keyCount,
      "MiB before the attack": before.peakMiB,
      "MiB at most": peakMiB,
      "requests of the other tenant": requestsOfOther,
      "ms p99": p99Ms,
      "ms maximum": maxMs,
    });
  });
}
