import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { type ClientOptions, CrmConnectionError, createClient } from "../lib/client/index.ts";

const somewhere = "https://crm.example/integrations/v1";
const task = { id: "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11", title: "Once" };

/** The address of a server that answers so. */
async function served(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/integrations/v1`;
}

function clientAt(baseUrl: string, options: Partial<ClientOptions> = {}) {
  return createClient({ baseUrl, apiKey: "crm_key", wait: async () => {}, ...options });
}

/** Gives these answers, one after the other, and the last of them from then on. */
function answers(...all: (() => Response)[]): Partial<ClientOptions> {
  return { fetch: async () => (all.length > 1 ? all.shift() : all[0])?.() ?? Response.error() };
}

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect of status ${status} is told, and neither followed nor given the key`, async (t) => {
    const heard: string[] = [];
    const elsewhere = await served(t, (request, response) => {
      heard.push(`${request.method} ${request.headers["x-api-key"]}`);
      response.end(JSON.stringify({ data: [] }));
    });
    const front = await served(t, (_, response) => void response.writeHead(status, { location: elsewhere }).end());
    const told = { name: "CrmError", status, code: "unknown", message: new RegExp(`${elsewhere}.*Set baseUrl`) };
    const client = clientAt(front);
    await assert.rejects(client.tasks.create({ title: "Once" }), told);
    await assert.rejects(client.tasks.archive(task.id), told);
    await assert.rejects(client.me(), told);
    assert.deepEqual(heard, []);
  });
}

test("a redirect that a browser does not show is told too", async () => {
  const opaque = { ok: false, status: 0, headers: new Headers(), text: async () => "" } as Response;
  const client = clientAt(somewhere, { fetch: async () => opaque });
  await assert.rejects(client.me(), { status: 0, message: /elsewhere: redirects are not followed/ });
});

test("an answer that was cut off is asked for again, under the same key", async () => {
  for (const cut of ["", '{"data":{"id":', "null", "<p>Sign in</p>"]) {
    const keys = new Set<string | null>();
    const { fetch } = answers(
      () => new Response(cut, { status: 201 }),
      () => Response.json({ data: task }, { status: 201 }),
    );
    const client = clientAt(somewhere, {
      fetch: (url, init) => {
        keys.add(new Headers(init.headers).get("idempotency-key"));
        return fetch?.(url, init) ?? Promise.reject();
      },
    });
    assert.deepEqual(await client.tasks.create({ title: "Once" }), task);
    assert.equal(keys.size, 1);
  }
});

test("a sync does not store past a page that came empty", async () => {
  const empty = () => new Response(null, { headers: { "x-next-updated-since": "2026-03-01T10:00:00.000Z" } });
  const client = clientAt(somewhere, answers(empty));
  const heard: unknown[] = [];
  const sync = client.tasks.sync({ onPage: () => assert.fail("a page"), onWatermark: (at) => void heard.push(at) });
  await assert.rejects(sync, (error) => {
    assert.ok(error instanceof CrmConnectionError);
    assert.match(`${error.message} ${error.cause}`, /did not come whole.*The answer of status 200 is not whole/);
    return true;
  });
  assert.deepEqual(heard, []);
});

test("Retry-After may be a date", async () => {
  const waits: number[] = [];
  const busy = (after: Date) => () =>
    new Response("", { status: 503, headers: { "retry-after": after.toUTCString() } });
  const later = new Date(Date.now() + 3_600_000);
  const all = answers(busy(later), busy(new Date(0)), () => Response.json({ data: task }));
  const client = clientAt(somewhere, { ...all, wait: async (ms) => void waits.push(ms) });
  await client.tasks.get(task.id);
  const [told = 0, past = 0] = waits;
  assert.ok(told > 3_500_000 && told <= 3_600_000, `${told}`);
  assert.ok(past <= 500, `${past} ms for a date that is over`);
});

test("who gives up a call leaves no timer behind", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const giveUp = new AbortController();
  const busy = () => new Response("", { status: 503, headers: { "retry-after": "900" } });
  const client = createClient({ baseUrl: somewhere, apiKey: "crm_key", ...answers(busy) });
  const call = client.me({ signal: giveUp.signal });
  while (timers() <= before) await new Promise((resolve) => setImmediate(resolve));
  giveUp.abort(new Error("enough"));
  await assert.rejects(call, { message: "enough" });
  assert.equal(timers(), before);
});

test("a key that no header can carry is refused when the client is made, and not told", () => {
  for (const apiKey of ["", "crm_key\n", "crm_ключ"]) {
    assert.throws(() => clientAt(somewhere, { apiKey }), {
      name: "TypeError",
      message: "apiKey has a sign that no header can carry, or is empty.",
    });
  }
});
