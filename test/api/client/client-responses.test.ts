import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { type ClientOptions, CrmConnectionError, createClient, createTransport } from "../../../lib/client/index.ts";

const baseUrl = "https://crm.example/integrations/v1";
const task = { id: "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11", title: "Once" };

/** Starts a server and returns its base URL. */
async function startServer(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/integrations/v1`;
}

function clientAt(baseUrl: string, options: Partial<ClientOptions> = {}) {
  return createClient({ baseUrl, apiKey: "crm_key", wait: async () => {}, ...options });
}

/** Returns these responses one after the other, then the last one again. */
function respondWith(...all: (() => Response)[]): Partial<ClientOptions> {
  return { fetch: async () => (all.length > 1 ? all.shift() : all[0])?.() ?? Response.error() };
}

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect with status ${status} throws CrmError, and the API key isn't sent to its target`, async (t) => {
    const received: string[] = [];
    const target = await startServer(t, (request, response) => {
      received.push(`${request.method} ${request.headers["x-api-key"]}`);
      response.end(JSON.stringify({ data: [] }));
    });
    const redirecting = await startServer(
      t,
      (_, response) => void response.writeHead(status, { location: target }).end(),
    );
    const expected = { name: "CrmError", status, code: "unknown", message: new RegExp(`${target}.*Set baseUrl`) };
    const client = clientAt(redirecting);
    await assert.rejects(client.tasks.create({ title: "Once" }), expected);
    await assert.rejects(client.tasks.archive(task.id), expected);
    await assert.rejects(client.me(), expected);
    assert.deepEqual(received, []);
  });
}

test("an opaque redirect in a browser throws CrmError with a hint about baseUrl", async () => {
  const opaque = { ok: false, status: 0, headers: new Headers(), text: async () => "" } as Response;
  const client = clientAt(baseUrl, { fetch: async () => opaque });
  await assert.rejects(client.me(), { status: 0, message: /redirected to another URL. Set baseUrl/ });
});

test("a create with a truncated response is retried with the same Idempotency-Key", async () => {
  for (const truncated of ["", '{"data":{"id":', "null", "<p>Sign in</p>"]) {
    const keys = new Set<string | null>();
    const { fetch } = respondWith(
      () => new Response(truncated, { status: 201 }),
      () => Response.json({ data: task }, { status: 201 }),
    );
    const client = clientAt(baseUrl, {
      fetch: (url, init) => {
        keys.add(new Headers(init.headers).get("idempotency-key"));
        return fetch?.(url, init) ?? Promise.reject();
      },
    });
    assert.deepEqual(await client.tasks.create({ title: "Once" }), task);
    assert.equal(keys.size, 1);
  }
});

test("sync stores no watermark if a page has no body", async () => {
  const empty = () => new Response(null, { headers: { "x-next-updated-since": "2026-03-01T10:00:00.000Z" } });
  const client = clientAt(baseUrl, respondWith(empty));
  const stored: unknown[] = [];
  const sync = client.tasks.sync({ onPage: () => assert.fail("a page"), onWatermark: (at) => void stored.push(at) });
  await assert.rejects(sync, (error) => {
    assert.ok(error instanceof CrmConnectionError);
    assert.match(
      `${error.message} ${error.cause}`,
      /No complete response.*The response with status 200 isn't complete JSON/,
    );
    return true;
  });
  assert.deepEqual(stored, []);
});

test("the client waits until the date in Retry-After", async () => {
  const waits: number[] = [];
  const busy = (after: Date) => () =>
    new Response("", { status: 503, headers: { "retry-after": after.toUTCString() } });
  const later = new Date(Date.now() + 3_600_000);
  const all = respondWith(busy(later), busy(new Date(0)), () => Response.json({ data: task }));
  const client = clientAt(baseUrl, { ...all, wait: async (ms) => void waits.push(ms) });
  await client.tasks.get(task.id);
  const [future = 0, past = 0] = waits;
  assert.ok(future > 3_500_000 && future <= 3_600_000, `${future}`);
  assert.ok(past <= 500, `${past} ms for a date in the past`);
});

test("an aborted call leaves no timer behind", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const controller = new AbortController();
  const busy = () => new Response("", { status: 503, headers: { "retry-after": "900" } });
  const client = createClient({ baseUrl, apiKey: "crm_key", ...respondWith(busy) });
  const call = client.me({ signal: controller.signal });
  while (timers() <= before) await new Promise((resolve) => setImmediate(resolve));
  controller.abort(new Error("enough"));
  await assert.rejects(call, { message: "enough" });
  assert.equal(timers(), before);
});

test("createTransport without an API key sends none, and retries as with one", async () => {
  const sent: Headers[] = [];
  const send = createTransport({
    baseUrl: "",
    fetch: async (_url, init) => {
      sent.push(new Headers(init.headers));
      return sent.length === 1 ? new Response("{}", { status: 503 }) : Response.json({ data: [] });
    },
    wait: async () => {},
  });
  assert.deepEqual((await send("GET", "tasks")).body, { data: [] });
  assert.deepEqual(
    sent.map((headers) => headers.has("x-api-key")),
    [false, false],
  );
});

test("createClient throws TypeError for an API key with invalid characters, without showing it", () => {
  for (const apiKey of ["", "crm_key\n", "crm_ключ"]) {
    assert.throws(() => clientAt(baseUrl, { apiKey }), {
      name: "TypeError",
      message: "apiKey is empty or contains invalid characters.",
    });
  }
});

test("a POST rejects with TypeError, and sends nothing, if idempotencyKey isn't printable ASCII", async () => {
  const sent: string[] = [];
  const fetch = async (url: string) => {
    sent.push(url);
    return Response.json({ data: {} });
  };
  const crm = createClient({ baseUrl: "http://crm.example/integrations/v1", apiKey: "key", fetch });
  for (const idempotencyKey of ["", "Bestellung-ü", "x".repeat(256)])
    await assert.rejects(crm.tasks.create({ title: "Call" }, { idempotencyKey }), {
      name: "TypeError",
      message: "idempotencyKey must have 1 to 255 printable ASCII characters.",
    });
  assert.deepEqual(sent, []);
});
