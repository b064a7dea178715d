import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type ErrorName, errorsOf } from "../../../build/openapi/errors.ts";
import { type DemoServer, demoServer } from "../../../build/openapi/recording.ts";
import { endpoints } from "../../../lib/endpoints/index.ts";
import { type Endpoint, memoryRateLimiter, systemClock } from "../../../lib/index.ts";
import { isReadOnly, provocation, setupFor } from "../../openapi/provocations.ts";
import type { Result } from "../../support/harness.ts";
import { verdict } from "../../support/responses.ts";

const rateLimiter = memoryRateLimiter({ limit: 100_000, windowMs: 60_000, clock: systemClock });
const servers = new Map<string, Promise<DemoServer>>();
after(async () => {
  for (const server of servers.values()) await (await server).close();
});

/**
 * Shares a server between provocations that have the same path and setup and change no data. Failed authentication is
 * limited per server.
 */
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

/** The step that the request log reports for each error. */
const steps: Readonly<Record<ErrorName, string>> = {
  "400 bad_request": "json",
  "400 validation_error": "shape",
  "400 invalid_cursor": "shape",
  "401 unauthorized": "authentication",
  "403 insufficient_scope": "scope",
  "404 not_found": "existence",
  "409 duplicate": "commit",
  "409 conflict": "commit",
  "409 tenant_without_admin": "rules",
  "412 conflict": "existence",
  "413 bad_request": "size",
  "415 bad_request": "json",
  "422 validation_error": "rules",
  "422 invalid_reference": "tenant",
  "422 unknown_custom_field": "rules",
  "422 invalid_custom_field": "rules",
  "422 idempotency_key_reused": "idempotency",
  "429 rate_limited": "rate_limit",
  "500 internal_error": "server",
  "503 internal_error": "server",
};

/** Asserts that the request log has the errors of the response, if the tenant is known. */
async function assertLogged(server: DemoServer, result: Result, name: ErrorName, endpoint: Endpoint): Promise<void> {
  const [entry] = await server.findRequests(result.headers.get("x-request-id") ?? "");
  // These are rejected before the tenant is known: the storage of the 500 and 503 fails to read the API key.
  const isAnonymous = name === "401 unauthorized" || (/^50/.test(name) && endpoint.access !== "admin");
  assert.equal(entry === undefined, isAnonymous);
  if (entry === undefined) return;
  const { code, details = {} } = (result.body as { error: { code: string; details?: Details } }).error;
  const { items = [], errors = [], reason } = details;
  const expected = [
    ...items.flatMap(({ index, error }) =>
      (error.details?.errors ?? []).map((each) => ({ ...each, path: `/operations/${index}/data${each.path}` })),
    ),
    ...errors,
  ].map(({ message: _, ...error }) => error);
  const { status, operation, problem } = entry;
  assert.deepEqual([status, entry.code, operation], [result.status, code, endpoint.name]);
  assert.deepEqual(problem?.errors, expected);
  const step = items.length > 0 || reason === "stale" ? "existence" : steps[name];
  assert.equal(problem?.step, step);
}

type Details = {
  readonly items?: readonly { readonly index: number; readonly error: { readonly details?: Details } }[];
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  readonly reason?: string;
};

for (const endpoint of endpoints) {
  for (const name of [...errorsOf(endpoint).values()].flat()) {
    test(`${endpoint.name} returns ${name} as described`, async () => {
      const provoke = provocation(name, endpoint);
      assert.ok(provoke !== undefined, "add a provocation to test/openapi/provocations.ts");
      const server = await serverFor(name, endpoint);
      const result = await provoke(server.send, endpoint);
      assert.equal(verdict(result).split(":")[0], name);
      await assertLogged(server, result, name, endpoint);
    });
  }
}
