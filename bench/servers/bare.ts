import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import Database from "better-sqlite3";
import { Hono } from "hono";

/** A recorded response of the API. The bare servers send it and do nothing else. */
export type Recorded = {
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const [, , kind, file = ""] = process.argv;
const recorded = JSON.parse(readFileSync(file, "utf8")) as readonly Recorded[];
const responses = new Map(recorded.map((response) => [response.path, response]));

function printPort(port: number): void {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
}

function serveHttp(): void {
  const server = createServer((incoming, outgoing) => {
    const response = responses.get(incoming.url ?? "");
    if (response === undefined) outgoing.writeHead(404).end();
    else outgoing.writeHead(response.status, response.headers).end(response.body);
  });
  server.listen(0, "127.0.0.1", () => printPort((server.address() as AddressInfo).port));
}

/** Sends prepared text, or serializes values for each request, as most servers do. */
function serveHono(isReady: boolean): void {
  const app = new Hono();
  const values = new Map(recorded.map(({ path, body }) => [path, JSON.parse(body)]));
  app.get("*", (c) => {
    const url = c.req.url;
    const path = url.slice(url.indexOf("/", 8));
    const response = responses.get(path);
    if (response === undefined) return c.notFound();
    if (isReady) return c.body(response.body, response.status as 200, response.headers);
    return c.json(values.get(path), response.status as 200, response.headers);
  });
  serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => printPort(port));
}

/** Serves the stored JSON of an account to the API key of its tenant. Checks nothing else. */
function serveHonoOnSqlite(): void {
  const app = new Hono();
  const database = new Database(process.argv[4] ?? "", { readonly: true });
  const keys = database.prepare("SELECT tenant_id FROM api_keys WHERE hash = likely(?) AND archived_at IS NULL").raw();
  const accounts = database.prepare("SELECT json FROM accounts WHERE tenant_id = ? AND id = ?").raw();
  app.get("/integrations/v1/accounts/:id", (c) => {
    const [tenant] = (keys.get(hash("sha256", c.req.header("x-api-key") ?? "")) ?? []) as string[];
    const [json] = (accounts.get(tenant, c.req.param("id")) ?? []) as string[];
    if (json === undefined) return c.notFound();
    return c.body(`{"data":${json}}`, 200, recorded[0]?.headers);
  });
  serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => printPort(port));
}

if (kind === "http") serveHttp();
else if (kind === "hono-sqlite") serveHonoOnSqlite();
else serveHono(kind === "hono-text");
