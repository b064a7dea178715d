import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { serve as serveHono } from "@hono/node-server";
import express from "express";
import fastify, { type FastifyInstance } from "fastify";
import { Hono } from "hono";
import { toExpressMiddleware } from "../../lib/http/express.ts";
import { toFastifyPlugin } from "../../lib/http/fastify.ts";
import { toNodeListener } from "../../lib/http/index.ts";
import { toNextHandlers } from "../../lib/http/next.ts";
import type { Mount, Mounted } from "./mounts.ts";

export const express5 = express;
export const express4 = createRequire(import.meta.url)("express4") as typeof express;

const nothingToClose = async () => {};

/** Serves a listener on a free port. */
export async function serveListener(listener: RequestListener): Promise<Mounted> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    server.close();
    server.closeAllConnections();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, send: fetch, close };
}

/** Serves a Fastify app on a free port. */
export async function listenFastify(app: FastifyInstance): Promise<Mounted> {
  return { origin: await app.listen({ host: "127.0.0.1", port: 0 }), send: fetch, close: () => app.close() };
}

/** Calls the API directly, without a host. */
export const withoutHost: Mount = async (apis) => ({
  origin: "http://crm.test",
  send: (request) => apiFor(apis, request).fetch(request),
  close: nothingToClose,
});

export const onNode: Mount = async (apis) => {
  const listeners = Object.entries(apis).map(([prefix, api]) => [prefix, toNodeListener(api)] as const);
  return serveListener((incoming, outgoing) => {
    listeners.find(([prefix]) => incoming.url?.startsWith(prefix))?.[1](incoming, outgoing);
  });
};

/** Mounts the APIs in an app of this Express version, after these middlewares. */
export const onExpress =
  (version: typeof express, ...middlewares: express.RequestHandler[]): Mount =>
  async (apis) => {
    const app = version();
    // Prevents Express from printing its errors.
    app.set("env", "test");
    for (const middleware of middlewares) app.use(middleware);
    for (const [prefix, api] of Object.entries(apis)) app.use(prefix, toExpressMiddleware(api));
    return serveListener(app);
  };

/** Listens on a port, because tests reuse the connection of a rejected body. */
export const onFastify: Mount = async (apis) => {
  const app = fastify({ forceCloseConnections: true });
  for (const [prefix, api] of Object.entries(apis)) app.register(toFastifyPlugin(api), { prefix });
  return listenFastify(app);
};

export const onHono: Mount = async (apis) => {
  const app = new Hono();
  for (const [prefix, api] of Object.entries(apis)) app.route(prefix, api.app());
  return { origin: "http://crm.test", send: async (request) => app.fetch(request), close: nothingToClose };
};

/** Serves Hono on a free port, with a middleware of the host that changes every response. */
export const onHonoServer: Mount = async (apis) => {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    c.header("x-host", "yes");
  });
  for (const [prefix, api] of Object.entries(apis)) app.route(prefix, api.app());
  const server = serveHono({ fetch: app.fetch, port: 0, hostname: "127.0.0.1", overrideGlobalObjects: false });
  await once(server, "listening");
  const close = async () => void server.close();
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, send: fetch, close };
};

/** Calls the handler of the method as Next does, with the route parameters in the second argument. */
export const onNext: Mount = async (apis) => {
  const handlers = new Map(Object.values(apis).map((api) => [api, toNextHandlers(api)]));
  const send = async (request: Request): Promise<Response> => {
    const { [request.method as "GET"]: handler } = handlers.get(apiFor(apis, request)) ?? {};
    if (handler === undefined) return new Response(null, { status: 405 });
    return Reflect.apply(handler, undefined, [request, { params: Promise.resolve({ path: [] }) }]);
  };
  return { origin: "http://crm.test", send, close: nothingToClose };
};

function apiFor<T>(apis: Readonly<Record<string, T>>, request: Request): T {
  const { pathname } = new URL(request.url);
  const [, api] = Object.entries(apis).find(([prefix]) => pathname.startsWith(prefix)) ?? [];
  if (api === undefined) throw new Error(`nothing is mounted at ${pathname}`);
  return api;
}
