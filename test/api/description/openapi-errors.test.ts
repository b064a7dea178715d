import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type ErrorName, errorsOf } from "../../../build/openapi/errors.ts";
import { type DemoServer, demoServer } from "../../../build/openapi/recording.ts";
import { endpoints } from "../../../lib/endpoints/index.ts";
import { type Endpoint, memoryRateLimiter, systemClock } from "../../../lib/index.ts";
import { isReadOnly, provocation, setupFor } from "../../openapi/provocations.ts";
import { verdict } from "../../support/responses.ts";

const rateLimiter = memoryRateLimiter({ limit: 100_000, windowMs: 60_000, clock: systemClock });
const servers = new Map<string, Promise<DemoServer>>();
after(async () => {
  for (const server of servers.values()) await (await server).close();
});

/** Shares a server between provocations that have the same path and setup and change no data. Failed authentication is limited per server. */
function serverFor(name: ErrorName, endpoint: Endpoint): Promise<DemoServer> {
  const setup = setupFor(name, endpoint);
  const isDefault = Object.keys(setup).length === 0;
  const key = isReadOnly(name, endpoint)
    ? isDefault
      ? `default ${endpoint.path}`
      : `${name} ${Object.keys(setup.options ?? {})}`
    : `${endpoint.name} ${name}`;
  const server = servers.get(key) ?? demoServer(isDefault ? { options: { rateLimiter } } : setup);
  servers.set(key, server);
  return server;
}

for (const endpoint of endpoints) {
  for (const name of [...errorsOf(endpoint).values()].flat()) {
    test(`${endpoint.name} returns ${name} as described`, async () => {
      const provoke = provocation(name, endpoint);
      assert.ok(provoke !== undefined, "add a provocation to test/openapi/provocations.ts");
      const { send } = await serverFor(name, endpoint);
      assert.equal(verdict(await provoke(send, endpoint)).split(":")[0], name);
    });
  }
}
