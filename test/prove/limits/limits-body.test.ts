import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { figures, size } from "../size.ts";
import type { State } from "./server.program.ts";
import { assertServed, limitsServer, request, statusesIn, type Wire, wire } from "./server.ts";

const harness = "limits-body";
const timeout = size(120_000, 1_200_000);
const mebibyte = 1024 * 1024;
const json = "Content-Type: application/json";
const last = "Connection: close";

function task(length: number): string {
  return JSON.stringify({ title: "Call", description: "x".repeat(65_536) }).padEnd(length);
}

function chunked(body: string, chunk: number): string {
  const chunks = body.match(new RegExp(`.{1,${chunk}}`, "g")) ?? [];
  return `${chunks.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("")}0\r\n\r\n`;
}

test("a body of 1 MiB is accepted and one more byte is rejected, with a Content-Length or in chunks", {
  timeout,
}, async (t) => {
  const { url, keys, end } = await limitsServer(t);
  const [key = "", ...others] = keys[0] ?? [];
  const sent = { announced: [] as number[], "in chunks": [] as number[] };
  for (const length of [mebibyte - 1, mebibyte, mebibyte + 1, 2 * mebibyte]) {
    const body = task(length);
    assert.equal(body.length, length);
    const announced = request("POST", "/tasks", [`x-api-key: ${key}`, json, last, `Content-Length: ${length}`], body);
    sent.announced.push(...statusesIn(await wire(url, announced).closed));
    for (const chunk of [100, 65_536, length]) {
      const head = [`x-api-key: ${others[0]}`, json, last, "Transfer-Encoding: chunked"];
      sent["in chunks"].push(
        ...statusesIn(await wire(url, request("POST", "/tasks", head, chunked(body, chunk))).closed),
      );
    }
    await assertServed(url, key);
  }
  const [created, rejected] = [201, 413];
  assert.deepEqual(sent, {
    announced: [created, created, rejected, rejected],
    "in chunks": [...Array(6).fill(created), ...Array(6).fill(rejected)],
  });
  await end();
});

test("a Content-Length over the limit is rejected before the body arrives", { timeout }, async (t) => {
  const { url, keys, end } = await limitsServer(t);
  for (const length of [`${mebibyte + 1}`, `${2 ** 53}`, "9".repeat(15)]) {
    const head = [`x-api-key: ${keys[0]?.[0]}`, json, last, `Content-Length: ${length}`];
    const { socket, closed } = wire(url, request("POST", "/tasks", head));
    await new Promise((resolve) => socket.once("data", resolve));
    socket.destroy();
    assert.deepEqual(statusesIn(await closed), [413]);
  }
  await end();
});

/** Timeouts that don't end before the test. */
const longTimeouts = { headersTimeoutMs: 600_000, requestTimeoutMs: 600_000 };

/**
 * Node's parser copies each chunk into a Buffer of its own before the request is authenticated. Garbage collection
 * decides when they are freed.
 */
const tinyChunks = "15 KiB in chunks of one byte";

/** Unauthenticated clients that send all but the end of a long body and wait. */
const unfinishedBodies: Readonly<Record<string, string>> = {
  "1 MiB announced, without the last byte": request(
    "POST",
    "/tasks",
    ["x-api-key: wrong", json, `Content-Length: ${mebibyte}`],
    "x".repeat(mebibyte - 1),
  ),
  "1 MiB in chunks": request(
    "POST",
    "/tasks",
    ["x-api-key: wrong", json, "Transfer-Encoding: chunked"],
    `${`10000\r\n${"x".repeat(65_536)}\r\n`.repeat(15)}`,
  ),
  "the maximum number of chunks of one byte": request(
    "POST",
    "/tasks",
    ["x-api-key: wrong", json, "Transfer-Encoding: chunked"],
    "1\r\nx\r\n".repeat(1_000),
  ),
  [tinyChunks]: request(
    "POST",
    "/tasks",
    ["x-api-key: wrong", json, "Transfer-Encoding: chunked"],
    "1\r\nx\r\n".repeat(15 * 1024),
  ),
  "1 MiB in a GET": request(
    "GET",
    "/tasks",
    ["x-api-key: wrong", `Content-Length: ${mebibyte}`],
    "x".repeat(mebibyte - 1),
  ),
};

/** Returns the memory in use above `before`, in MiB, once it is below the bound or after 50 collections of garbage. */
async function usedIn(state: () => Promise<State>, before: number, boundMiB: number): Promise<number> {
  let used = Number.POSITIVE_INFINITY;
  for (let attempt = 0; used >= boundMiB && attempt < 50; attempt++) used = (await state()).usedMiB - before;
  return used;
}

test("unauthenticated clients with unfinished bodies get 401, use little memory and block no other client", {
  timeout,
}, async (t) => {
  const counted: Record<string, number> = {};
  for (const [what, text] of Object.entries(unfinishedBodies)) {
    const { url, keys, state, end } = await limitsServer(t, { maxInFlight: 10, server: longTimeouts });
    const count = size(100, 2_000);
    await assertServed(url, keys[0]?.[0] ?? "");
    const before = await state();
    const wires: Wire[] = [];
    const statuses: Promise<string>[] = [];
    // In groups, because a busy system rejects connections that don't fit into its queue.
    while (wires.length < count) {
      const more = Array.from({ length: Math.min(100, count - wires.length) }, () => wire(url, text));
      for (const { socket } of more) statuses.push(once(socket, "data").then(([chunk]) => statusesIn(chunk).join()));
      await Promise.all(more.map(({ opened }) => opened));
      wires.push(...more);
    }
    assert.deepEqual([...new Set(await Promise.all(statuses))].sort(), ["401", "429"], what);
    for (let times = 0; times < 20; times++) await assertServed(url, keys[0]?.[1] ?? "");
    // A connection costs some 30 KiB.
    const used = await usedIn(state, before.usedMiB, 10 + count * 0.06);
    const { rssMiB } = await state();
    assert.ok(used < 10 + count * 0.06, `${what}: ${count} clients take ${used} MiB`);
    // The resident memory includes garbage that isn't returned to the system yet. One-byte chunks leave the most.
    const grown = rssMiB - before.rssMiB;
    const bound = what === tinyChunks ? 900 : 120 + count * 0.15;
    assert.ok(grown < bound, `${what}: the resident memory grew by ${grown} MiB for ${count} clients`);
    counted[`MiB for ${what}`] = used;
    for (const { socket } of wires) socket.destroy();
    await end();
  }
  figures(t, harness, { "clients of each kind": size(100, 2_000), ...counted });
});
