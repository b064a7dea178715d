import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { createClient } from "../../lib/client/index.ts";

/**
 * Starts a gateway that removes a prefix from the path, and names it in X-Forwarded-Prefix. Returns its URL with the
 * prefix.
 */
export async function startGateway(t: TestContext, target: string, prefix: string): Promise<string> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = "" } = incoming;
    if (!url.startsWith(`${prefix}/`)) return void outgoing.writeHead(502).end();
    const path = url.slice(prefix.length);
    const forwarded = request(
      { hostname, port, method, path, headers: { ...headers, "x-forwarded-prefix": prefix } },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      },
    );
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
}

/** Asserts that a client that knows only the URL of the gateway reaches everything through it. */
export async function assertWorksBehind(gateway: string, apiKey: string): Promise<void> {
  const base = `${gateway}/integrations/v1`;
  const headers = { "x-api-key": apiKey, "content-type": "application/json" };
  const json = async (url: URL | string, init: RequestInit = {}) => {
    const response = await fetch(url, { headers, ...init });
    assert.ok(response.ok, `${init.method ?? "GET"} ${url}: ${response.status} ${await response.clone().text()}`);
    return { response, text: await response.text() };
  };
  for (const path of ["/tasks", "/tasks/"]) {
    const post = {
      method: "POST",
      headers: { ...headers, "idempotency-key": crypto.randomUUID() },
      body: JSON.stringify({ title: "Call" }),
    };
    const created = await json(base + path, post);
    const location = created.response.headers.get("location") ?? "";
    assert.equal((await json(new URL(location, created.response.url))).text, created.text);
    const replay = await json(base + path, post);
    assert.deepEqual([replay.text, replay.response.headers.get("location")], [created.text, location]);
  }
  const first = await json(`${base}/tasks?limit=1`);
  const [, next = ""] = /^<([^>]+)>; rel="next"$/.exec(first.response.headers.get("link") ?? "") ?? [];
  const second = await json(new URL(next, first.response.url));
  assert.equal(JSON.parse(second.text).data.length, 1);

  const description = await json(`${base}/openapi.json`);
  const { servers, paths } = JSON.parse(description.text);
  assert.equal(new URL(servers[0].url, description.response.url).href.replace(/\/$/, ""), base);
  const [adminServer] = paths["/api-key"].servers;
  assert.equal(new URL(adminServer.url, description.response.url).href.replace(/\/$/, ""), `${gateway}/integrations`);
  const page = await json(`${base}/docs`);
  for (const [, file = ""] of page.text.matchAll(/(?:src|href)="([^":]+)"/g))
    await json(new URL(file, page.response.url));

  const crm = createClient({ baseUrl: base, apiKey });
  const task = await crm.tasks.create({ title: "Visit" });
  assert.equal((await crm.tasks.get(task.id)).title, "Visit");
}
