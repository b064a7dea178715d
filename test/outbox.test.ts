import assert from "node:assert/strict";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { toNodeListener } from "../lib/http/node.ts";

/** A request as node:http passes it on, and its answer. */
function request(): [IncomingMessage, ServerResponse] {
  const incoming = new IncomingMessage(new Socket());
  Object.assign(incoming, { httpVersion: "1.1", rawHeaders: ["Host", "a"], headers: { host: "a" }, complete: true });
  return [incoming, new ServerResponse(incoming)];
}

const listener = () =>
  toNodeListener({ answer: async () => ({ status: 200, headers: {}, body: "{}" }), newRequestId: () => "id" });

const tick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

test("the first answer of a turn goes out at once, the others together when it ends", async () => {
  const listen = listener();
  for (let round = 0; round < 2; round++) {
    const requests = [request(), request(), request()];
    for (const each of requests) listen(...each);
    await tick();
    assert.deepEqual(
      requests.map(([, outgoing]) => outgoing.headersSent),
      [true, false, false],
    );
    await turn();
    assert.ok(requests.every(([, outgoing]) => outgoing.writableEnded));
  }
});

test("where the host has answered meanwhile, it is left at that, and the others are answered", async () => {
  const listen = listener();
  const requests = [request(), request(), request()];
  for (const each of requests) listen(...each);
  for (const [, outgoing] of requests.slice(0, 2)) outgoing.writeHead(504).end();
  await turn();
  await turn();
  assert.deepEqual(
    requests.map(([, { statusCode, writableEnded }]) => [statusCode, writableEnded]),
    [
      [504, true],
      [504, true],
      [200, true],
    ],
  );
});
