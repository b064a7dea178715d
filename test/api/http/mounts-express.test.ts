import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { ErrorRequestHandler } from "express";
import { toExpressMiddleware } from "../../../lib/http/express.ts";
import type { Api, RequestEnv } from "../../../lib/index.ts";
import { testCrm } from "../../support/harness.ts";
import { express4, express5, onExpress, serveListener } from "../../support/mount-hosts.ts";
import { base, mountTests, one } from "../../support/mounts.ts";

const limit = "2mb";
/** Stores the bytes with the parsed value, as hosts do to verify signatures. */
const keeping = {
  limit,
  verify: (request: object, _: unknown, rawBody: Buffer) => void Object.assign(request, { rawBody }),
};
const encoded = true;
const malformed = true;
const twice = true;

for (const [name, express] of [["Express 5", express5] as const, ["Express 4", express4] as const]) {
  describe(`${name}, before any parser`, { timeout: 60_000 }, mountTests(onExpress(express)));
  describe(
    `${name}, behind express.json`,
    { timeout: 60_000 },
    mountTests(onExpress(express, express.json({ limit })), {
      encoded,
      malformed,
      twice,
    }),
  );
  describe(
    `${name}, behind express.raw`,
    { timeout: 60_000 },
    mountTests(onExpress(express, express.raw({ limit, type: "*/*" })), { encoded }),
  );
  describe(
    `${name}, behind express.text`,
    { timeout: 60_000 },
    mountTests(onExpress(express, express.text({ limit, type: "*/*" })), { encoded }),
  );
  describe(
    `${name}, behind express.json that keeps rawBody`,
    { timeout: 60_000 },
    mountTests(onExpress(express, express.json(keeping)), {
      encoded,
      malformed,
    }),
  );
}

const { api } = await testCrm([one]);
after(() => api.close());
const headers = { "x-api-key": one.key, "content-type": "application/json" };

test("requests for other paths reach the routes of the host before and after the API", async (t) => {
  const app = express5();
  app.use(toExpressMiddleware(api));
  app.get("/hello", (_, response) => void response.send("hello"));
  const { origin, close } = await serveListener(app);
  t.after(close);
  const paths = ["/hello", "/integrations/v1/nothing", "/integrations/v1/me"];
  const responses = await Promise.all(paths.map((path) => fetch(origin + path, { headers })));
  assert.deepEqual(
    responses.map((response) => [response.status, response.headers.get("content-type")]),
    [
      [200, "text/html; charset=utf-8"],
      [404, "application/json"],
      [200, "application/json"],
    ],
  );
});

test("a body that a middleware has read and discarded is an error with a hint for the host", async (t) => {
  const errors: unknown[] = [];
  const app = express5();
  app.use((request, _, next) => void request.resume().once("end", next));
  app.use("/eu/crm", toExpressMiddleware(api));
  const failed: ErrorRequestHandler = (error, _, response, _next) => {
    errors.push(String(error));
    response.status(500).end();
  };
  app.use(failed);
  const { origin, close } = await serveListener(app);
  t.after(close);
  const created = await fetch(`${origin}${base}/tasks`, { method: "POST", headers, body: '{"title":"Call"}' });
  const message =
    "A middleware before the CRM has read the body and set neither req.body nor req.rawBody. Mount the CRM before it.";
  assert.deepEqual([created.status, errors], [500, [`TypeError: ${message}`]]);
});

test("a body with Content-Encoding returns 415 also if a parser has decoded it", async (t) => {
  for (const middlewares of [[], [express5.json()]]) {
    const { origin, close } = await onExpress(express5, ...middlewares)({ "/eu/crm": api });
    t.after(close);
    const body = gzipSync('{"title":"Call"}');
    const encoded = { ...headers, "content-encoding": "gzip" };
    const response = await fetch(`${origin}${base}/tasks`, { method: "POST", headers: encoded, body });
    assert.equal(response.status, 415);
  }
});

test("behind a parser, equal bodies with different formatting replay the same Idempotency-Key", async (t) => {
  const { origin, close } = await onExpress(express5, express5.json())({ "/eu/crm": api });
  t.after(close);
  const once = { ...headers, "idempotency-key": "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d53" };
  const post = async (body: string) => fetch(`${origin}${base}/tasks`, { method: "POST", headers: once, body });
  const [first, second, other] = [
    await post('{"title":"Call","priority":"high"}'),
    await post('{ "priority": "high",\n "title": "C\\u0061ll" }'),
    await post('{"title":"Call"}'),
  ];
  assert.deepEqual([first.status, second.status, other.status], [201, 201, 422]);
  assert.equal(await second.text(), await first.text());
});

test("authenticate gets the client address behind a trusted proxy and the Express request", async (t) => {
  const received: RequestEnv[] = [];
  const watchedFetch: Api["fetch"] = (request, env = {}) => {
    received.push(env);
    return api.fetch(request, env);
  };
  const watched = { ...api, fetch: watchedFetch };
  const app = express5();
  app.set("trust proxy", true);
  app.use((request, _, next) => {
    Object.assign(request, { user: "ana" });
    next();
  });
  app.use("/eu/crm", toExpressMiddleware(watched));
  const { origin, close } = await serveListener(app);
  t.after(close);
  await fetch(`${origin}${base}/me`, { headers: { ...headers, "x-forwarded-for": "192.0.2.7" } });
  assert.deepEqual(
    received.map(({ remoteAddress, incoming }) => [remoteAddress, (incoming as unknown as { user: string }).user]),
    [["192.0.2.7", "ana"]],
  );
});
