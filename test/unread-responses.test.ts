import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, test } from "node:test";
import { serve } from "../lib/http/index.ts";
import { crmApp, unlimited } from "../lib/index.ts";
import { testCrm } from "./harness.ts";
import { testTenant } from "./tenants.ts";

const one = testTenant(1);
const { api, send } = await testCrm([one], { limiter: unlimited });
after(() => api.close());
// A page of 4 MiB, the most that a page has.
for (let i = 0; i < 64; i++)
  await send("POST", "/tasks", { key: one.key, body: { title: `${i}`, description: "x".repeat(65_536) } });

const path = "/integrations/v1";
const page = `GET ${path}/tasks?limit=200 HTTP/1.1\r\nHost: a\r\nx-api-key: ${one.key}\r\n\r\n`;
/** Enough for 32 MiB, whatever part of each response the operating system buffers. */
const maxConnections = 200;

for (const [name, handler] of [
  ["written directly", api],
  ["that middlewares may change", crmApp(api, { corsOrigins: ["*"] })],
] as const) {
  test(`requests of a caller who doesn't read its responses return 503 until it does (responses ${name})`, {
    timeout: 60_000,
  }, async (t) => {
    const { url, server } = await serve(handler, { host: "127.0.0.1", port: 0 });
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    const ask = (key: string) => fetch(`${url}${path}/me`, { headers: { "x-api-key": key } });
    const sockets = [];
    let rejected: Response | undefined;
    while (rejected === undefined && sockets.length < maxConnections) {
      const socket = connect(Number(new URL(url).port), "127.0.0.1").pause();
      socket.on("error", () => {});
      socket.write(page.repeat(4));
      sockets.push(socket);
      const response = await ask(one.key);
      if (response.status !== 200) rejected = response;
      await response.text();
    }
    assert.deepEqual([rejected?.status, rejected?.headers.get("retry-after")], [503, "1"]);
    assert.equal((await ask(one.secondKey)).status, 200, "other API keys aren't affected");
    for (const socket of sockets) socket.destroy();
    while ((await ask(one.key)).status !== 200);
  });
}
