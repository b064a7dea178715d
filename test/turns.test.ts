import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { toNodeListener } from "../lib/http/node.ts";
import { Turns } from "../lib/http/turns.ts";
import { testCrm } from "./harness.ts";
import { storageWith } from "./storage-with.ts";
import { testTenant } from "./tenants.ts";

const one = testTenant(1);

/** Counts the turns of the event loop from now on. */
function countTurns() {
  const counted = { turns: 0, stop: () => clearImmediate(next) };
  const count = (): NodeJS.Immediate =>
    setImmediate(() => {
      counted.turns++;
      next = count();
    });
  let next = count();
  return counted;
}

const tick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

test("in a turn of the loop as many requests begin as take 5 ms, in the order in which they came", async () => {
  const counted = countTurns();
  let now = 0;
  const gate = new Turns(() => now);
  const begun: { index: number; turn: number }[] = [];
  const request = async (index: number): Promise<void> => {
    await gate.wait();
    begun.push({ index, turn: counted.turns });
    now += 2;
  };
  const all: Promise<void>[] = [];
  // One after the other, as sockets bring them.
  for (let index = 0; index < 10; index++) {
    all.push(request(index));
    await tick();
  }
  await Promise.all(all);
  counted.stop();
  const first = begun[0]?.turn ?? 0;
  const expected = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3].map((turn, index) => ({ index, turn: first + turn }));
  assert.deepEqual(begun, expected);
});

test("while hundreds ask at once, what else the process has to do comes in between", async (t) => {
  const { storage } = await testCrm([one]);
  const counted = countTurns();
  const reads = new Map<number, number>();
  const busy = storageWith(storage, {
    get(...asked) {
      reads.set(counted.turns, (reads.get(counted.turns) ?? 0) + 1);
      const until = performance.now() + 1;
      while (performance.now() < until);
      return storage.get(...asked);
    },
  });
  const { api } = await testCrm([], { storage: busy });
  const server = createServer(toNodeListener(api)).listen(0, "127.0.0.1");
  t.after(() => {
    server.close();
    return api.close();
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const clients = Array.from({ length: 200 }, () => connect(port, "127.0.0.1"));
  const accepted = new Promise<void>((resolve) => {
    let count = 0;
    server.on("connection", () => ++count === clients.length && resolve());
  });
  await Promise.all([accepted, ...clients.map((client) => once(client, "connect"))]);
  const request = `GET /integrations/v1/accounts/${one.account} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nx-api-key: ${one.key}\r\n\r\n`;
  for (const client of clients) client.write(request);
  const answers = await Promise.all(clients.map((client) => text(client)));
  counted.stop();
  assert.deepEqual([...new Set(answers.map((answer) => answer.slice(0, 12)))], ["HTTP/1.1 200"]);
  // Each takes a millisecond or more; without a bound a turn has as many as sockets are ready.
  assert.ok(Math.max(...reads.values()) <= 6, `reads in each turn: ${[...reads.values()]}`);
});
