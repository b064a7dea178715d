import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { serve as serveHono } from "@hono/node-server";
import fastify from "fastify";
import { Hono } from "hono";
import type { Console } from "../../../lib/console/index.ts";
import { toExpressMiddleware } from "../../../lib/http/express.ts";
import { toFastifyPlugin } from "../../../lib/http/fastify.ts";
import type { Api } from "../../../lib/index.ts";
import { one, openConsole } from "../../support/console.ts";
import { express4, express5, listenFastify, serveListener } from "../../support/mount-hosts.ts";
import type { Mounted } from "../../support/mounts.ts";

/** Serves a console and its API below a prefix, with a page of the host at `/support/console/page`. */
type Host = (prefix: string, console: Console, api: Api) => Promise<Mounted>;

const page = "The page of the host";

const onExpress =
  (express: typeof express5, mountPath = ""): Host =>
  async (prefix, console, api) => {
    const app = express();
    app.use(prefix + mountPath, toExpressMiddleware(console));
    app.use(prefix || "/", toExpressMiddleware(api));
    app.get("/support/console/page", (_, response) => void response.send(page));
    return serveListener(app);
  };

const onParsingExpress: Host = async (prefix, console, api) => {
  const app = express5();
  app.use(express5.json());
  app.use(prefix || "/", toExpressMiddleware(console), toExpressMiddleware(api));
  app.get("/support/console/page", (_, response) => void response.send(page));
  return serveListener(app);
};

const onFastify: Host = async (prefix, console, api) => {
  const app = fastify({ forceCloseConnections: true });
  app.addHook("onSend", async (_, reply) => void reply.header("x-host", "yes"));
  app.register(toFastifyPlugin(console), { prefix });
  app.register(toFastifyPlugin(api), { prefix });
  app.get("/support/console/page", async () => page);
  return listenFastify(app);
};

const onHono: Host = async (prefix, console, api) => {
  const app = new Hono<{ Bindings: object }>();
  app.all(`${prefix}/console/*`, (c) => console.fetch(c.req.raw, c.env));
  app.route(prefix, api.app());
  app.get("/support/console/page", (c) => c.text(page));
  const { promise, resolve } = Promise.withResolvers<number>();
  const options = { fetch: app.fetch, port: 0, hostname: "127.0.0.1", overrideGlobalObjects: false };
  const server = serveHono(options, ({ port }) => resolve(port));
  return { origin: `http://127.0.0.1:${await promise}`, send: fetch, close: async () => void server.close() };
};

const hosts: Readonly<Record<string, Host>> = {
  "Express 5": onExpress(express5),
  "Express 4": onExpress(express4),
  "Express at the path /console": onExpress(express5, "/console"),
  "Express behind a parser": onParsingExpress,
  Fastify: onFastify,
  Hono: onHono,
};

async function mount(t: TestContext, host: Host, prefix: string): Promise<{ origin: string; link: string }> {
  const { console, crm } = await openConsole(t);
  const { origin, close } = await host(prefix, console, crm.api);
  t.after(close);
  const user = { tenantId: one.id, userId: one.admin };
  return { origin, link: await console.createSignInLink(user, origin + prefix) };
}

for (const [name, host] of Object.entries(hosts))
  for (const prefix of ["", "/eu/crm"])
    test(`the console works in ${name} ${prefix && `below ${prefix}`}`, async (t) => {
      const { origin, link } = await mount(t, host, prefix);
      const redirected = await fetch(`${origin}${prefix}/console`, { redirect: "manual" });
      assert.equal(redirected.status, 308);
      const url = new URL(redirected.headers.get("location") ?? "", redirected.url).href;
      assert.equal(url, link.split("#")[0]);
      const index = await fetch(url);
      assert.deepEqual([index.status, index.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
      assert.match(await index.text(), /<title>Console<\/title>/);
      const script = await fetch(new URL("console.js", url));
      assert.equal(await script.text(), "export {};");
      const unchanged = { headers: { "if-none-match": script.headers.get("etag") ?? "" } };
      assert.equal((await fetch(new URL("console.js", url), unchanged)).status, 304);

      const json = { "content-type": "application/json", origin };
      const post = (path: string, body: unknown, cookie = "") =>
        fetch(new URL(path, url), { method: "POST", headers: { ...json, cookie }, body: JSON.stringify(body) });
      const session = await post("session", { token: link.split("token=")[1] });
      assert.equal(session.status, 200, await session.text());
      const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
      const created = await post("api/v1/tasks", { title: "Call" }, cookie);
      assert.equal(created.status, 201, await created.text());
      const task = await fetch(new URL(created.headers.get("location") ?? "", created.url), { headers: { cookie } });
      assert.equal(((await task.json()) as { data: { title: string } }).data.title, "Call");
      const users = await fetch(new URL("api/admin/users", url), { headers: { cookie } });
      assert.equal(users.status, 200);
      assert.equal((await fetch(new URL("api/v1/me", url))).status, 401);
      assert.equal((await fetch(new URL("unknown.js", url))).status, 404);
      const head = await fetch(url, { method: "HEAD" });
      assert.deepEqual([head.status, await head.text()], [200, ""]);

      const key = { headers: { "x-api-key": one.key } };
      assert.equal((await fetch(`${origin}${prefix}/integrations/v1/me`, key)).status, 200);
      assert.equal(await (await fetch(`${origin}/support/console/page`)).text(), page);
      assert.equal((await fetch(`${origin}${prefix}/consoles/`)).status, 404);
    });

test("in Fastify, the hooks of the host run for the console", async (t) => {
  const { origin } = await mount(t, onFastify, "");
  for (const path of ["/console/", "/console/session"])
    assert.equal((await fetch(origin + path)).headers.get("x-host"), "yes", path);
});
