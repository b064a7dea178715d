import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { serving, servingMetrics } from "../../support/program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { tenantWithKeys, writeTenantFile } from "../failures/many-keys.ts";
import { figures, seededRandom, size } from "../size.ts";

const harness = "limits-stop";
const timeout = size(120_000, 3_600_000);
const manyKeys = tenantWithKeys(60);

/** `sentAt` is the time at which the system had the whole request. */
type Post = { readonly idempotencyKey: string; readonly apiKey: string; sentAt?: number };
type Outcome = {
  readonly post: Post;
  readonly status: number | string;
  readonly id?: string;
  readonly closes?: boolean;
};

/** Sends a POST on a connection of this agent. If there is no response, `status` is the code of the error. */
function send(baseUrl: string, agent: Agent, post: Post): Promise<Outcome> {
  const body = JSON.stringify({ title: post.idempotencyKey });
  const headers = {
    "x-api-key": post.apiKey,
    "idempotency-key": post.idempotencyKey,
    "content-type": "application/json",
    "content-length": body.length,
  };
  return new Promise((resolve) => {
    const outgoing = request(`${baseUrl}/tasks`, { method: "POST", agent, headers }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      incoming.on("error", () => {});
      incoming.once("close", () => {
        if (!incoming.complete) return resolve({ post, status: "incomplete response" });
        const { statusCode: status = 0, headers } = incoming;
        const { data, error } = JSON.parse(text);
        if (status !== 201) assert.equal(error.code, "internal_error");
        if (status !== 201) assert.equal(headers["retry-after"], "1");
        resolve({ post, status, id: data?.id, closes: headers.connection === "close" });
      });
    });
    outgoing.once("finish", () => (post.sentAt = performance.now()));
    outgoing.once("error", (error: NodeJS.ErrnoException) => resolve({ post, status: error.code ?? error.message }));
    outgoing.end(body);
  });
}

/** Starts clients that POST without a pause, each on one connection, until the server has stopped. */
function clientsOf(baseUrl: string, count: number) {
  const outcomes: Outcome[] = [];
  const client = async (number: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let outcome: Outcome | undefined; outcome?.status !== "ECONNREFUSED"; ) {
      const apiKey = manyKeys.keys[(number + outcomes.length) % manyKeys.keys.length] ?? "";
      outcome = await send(baseUrl, agent, { idempotencyKey: randomUUID(), apiKey });
      outcomes.push(outcome);
    }
    agent.destroy();
  };
  return { outcomes, ended: Promise.all(Array.from({ length: count }, (_, number) => client(number))) };
}

async function titlesIn(baseUrl: string): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  let page = 0;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const headers = { "x-api-key": manyKeys.keys[page++ % manyKeys.keys.length] ?? "" };
    const response = await fetch(`${baseUrl}/tasks?limit=200${cursor && `&cursor=${cursor}`}`, { headers });
    const { data, nextCursor } = (await response.json()) as {
      data: { id: string; title: string }[];
      nextCursor: string;
    };
    for (const { id, title } of data) {
      assert.ok(!titles.has(title), `${title} was created twice`);
      titles.set(title, id);
    }
    cursor = nextCursor;
  }
  return titles;
}

/** Stops a program under load and returns the outcome of every POST. */
async function stopUnderLoad(t: TestContext, args: readonly string[], signal: NodeJS.Signals, afterMs: number) {
  const program = await serving(t, ...args);
  const { outcomes, ended } = clientsOf(program.greeting.baseUrl, size(20, 50));
  await pause(afterMs);
  const signaledAt = performance.now();
  program.child.kill(signal);
  const { code, stderr } = await program.ended;
  assert.equal(code, 0, stderr);
  const tookMs = performance.now() - signaledAt;
  await ended;
  return { outcomes, signaledAt, tookMs };
}

test("a program stopped under load completes its open requests, exits with 0 and loses nothing", {
  timeout,
}, async (t) => {
  const folder = temporaryFolder(t);
  const args = ["--data", join(folder, "data"), "--fixtures", writeTenantFile(join(folder, "crowd.json"), manyKeys)];
  const random = seededRandom();
  const [rounds, seen, longestMs] = [size(3, 60), new Map<number | string, number>(), [] as number[]];
  for (let round = 0; round < rounds; round++) {
    const signal = round % 2 === 0 ? "SIGTERM" : "SIGINT";
    const { outcomes, signaledAt, tookMs } = await stopUnderLoad(t, args, signal, 200 + random() * 1_500);
    longestMs.push(tookMs);
    for (const { status } of outcomes) seen.set(status, (seen.get(status) ?? 0) + 1);
    // Only a request that was sent after the signal may find the listener or its connection closed.
    const withoutResponse = outcomes.filter(({ status }) => status !== 201 && status !== 503);
    const wrong = withoutResponse.filter(({ post: { sentAt = Number.POSITIVE_INFINITY }, status }) => {
      return sentAt < signaledAt || (status !== "ECONNREFUSED" && status !== "ECONNRESET");
    });
    assert.deepEqual(wrong, []);
    const next = await serving(t, ...args);
    const titles = await titlesIn(next.greeting.baseUrl);
    for (const { post, status, id } of outcomes) {
      const made = titles.get(post.idempotencyKey);
      assert.equal(
        made,
        status === 201 ? id : undefined,
        `${status}: ${made === undefined ? "lost" : "created without a response"}`,
      );
    }
    next.child.kill("SIGTERM");
    assert.equal((await next.ended).code, 0);
  }
  assert.ok(Math.max(...longestMs) < 20_000, `it took ${longestMs} ms to stop`);
  figures(t, harness, {
    stops: rounds,
    ...Object.fromEntries([...seen].map(([status, count]) => [`responses ${status}`, count])),
  });
});

test("a program stops at once although 500 requests wait for a commit, and each gets its empty page", {
  timeout,
}, async (t) => {
  const folder = temporaryFolder(t);
  const waiters = tenantWithKeys(125);
  const fixtures = writeTenantFile(join(folder, "waiters.json"), waiters);
  const program = await servingMetrics(t, "--data", join(folder, "data"), "--fixtures", fixtures);
  const { baseUrl } = program.greeting;
  // Four requests of an API key can wait.
  const waiting = [1, 2, 3, 4].flatMap(() =>
    waiters.keys.map((key) => fetch(`${baseUrl}/events`, { headers: { "x-api-key": key, prefer: "wait=30" } })),
  );
  const metrics = async () => (await fetch(program.metricsUrl)).text();
  while (!(await metrics()).includes("\ncrm_waiting_requests 500\n")) await pause(50);
  program.child.kill("SIGTERM");
  for (const response of await Promise.all(waiting)) {
    assert.equal(response.headers.get("preference-applied"), "wait=30");
    assert.deepEqual(await response.json(), { data: [], nextCursor: null });
  }
  const { code, stderr } = await program.ended;
  assert.equal(code, 0, stderr);
});
