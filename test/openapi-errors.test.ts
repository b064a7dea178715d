import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type ErrorName, errorsOf } from "../build/openapi/errors.ts";
import { type DemoServer, demoServer } from "../build/openapi/recording.ts";
import { endpoints } from "../lib/endpoints/index.ts";
import { type Endpoint, memoryRateLimiter, systemClock } from "../lib/index.ts";
import { verdict } from "./answers.ts";
import { circumstances, isHarmless, provocation } from "./openapi/provocations.ts";

const rateLimiter = memoryRateLimiter({ limit: 100_000, windowMs: 60_000, clock: systemClock });
const servers = new Map<string, Promise<DemoServer>>();
after(async () => {
  for (const server of servers.values()) await (await server).close();
});

/** One server for all that is asked in the same circumstances and leaves nothing behind; else one of its own. */
function serverFor(name: ErrorName, endpoint: Endpoint): Promise<DemoServer> {
  const special = circumstances(name, endpoint);
  const usual = Object.keys(special).length === 0;
  const key = isHarmless(name, endpoint) ? (usual ? "usual" : name) : `${endpoint.name} ${name}`;
  const server = servers.get(key) ?? demoServer(usual ? { options: { rateLimiter } } : special);
  servers.set(key, server);
  return server;
}

for (const endpoint of endpoints) {
  for (const name of [...errorsOf(endpoint).values()].flat()) {
    test(`${endpoint.name} can be answered as it is described: ${name}`, async () => {
      const provoke = provocation(name, endpoint);
      assert.ok(provoke !== undefined, "say in test/openapi/provocations.ts how this comes about");
      const { send } = await serverFor(name, endpoint);
      assert.equal(verdict(await provoke(send, endpoint)).split(":")[0], name);
    });
  }
}
