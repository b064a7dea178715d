import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { test } from "node:test";

/** The key of the demo tenant, which is always the same. */
const key = "crm_test_Bpd6kU8B_wkwWcQxCC8GbBuvICmPbiFaziyqoS0vzj2g2RV6KN8D4MoqA7";
const headers = { "x-api-key": key, "content-type": "application/json" };

const servers = globSync("examples/*/server.ts").sort();

test("the examples include Node, Express, Fastify and Hono", () => {
  const names = ["express", "fastify", "hono", "node"];
  assert.deepEqual(
    servers,
    names.map((name) => `examples/${name}/server.ts`),
  );
});

for (const server of servers) {
  test(`${server} serves the demo tenant and exits on SIGTERM`, { timeout: 60_000 }, async (t) => {
    const child = spawn(process.execPath, ["--import", "tsx", server], {
      env: { ...process.env, PORT: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    t.after(() => child.kill("SIGKILL"));
    const [output, closed] = [text(child.stderr), once(child, "close")];
    const ended = closed.then(async () => assert.fail(`it ended before it served: ${await output}`));
    ended.catch(() => {});
    const [base] = (await Promise.race([once(createInterface(child.stdout), "line"), ended])) as [string];
    const created = await fetch(`${base}/tasks`, { method: "POST", headers, body: '{"title":"Call Ana"}' });
    assert.equal(created.status, 201);
    const location = new URL(created.headers.get("location") ?? "", created.url);
    assert.ok(location.href.startsWith(`${base}/tasks/`), location.href);
    assert.deepEqual(await (await fetch(location, { headers })).json(), await created.json());
    child.kill("SIGTERM");
    assert.deepEqual([await closed, await output], [[0, null], ""]);
  });
}
