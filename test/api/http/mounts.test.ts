import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { toNextHandlers } from "../../../lib/http/next.ts";
import type { RequestEnv } from "../../../lib/index.ts";
import { testCrm } from "../../support/harness.ts";
import { alone, onHono, onHonoServer, onNext, onNode } from "../../support/mount-hosts.ts";
import { base, mountTests, one } from "../../support/mounts.ts";

describe("api.fetch alone", { timeout: 60_000 }, mountTests(alone));
describe("the listener for node:http", { timeout: 60_000 }, mountTests(onNode));
describe("a route of Hono", { timeout: 60_000 }, mountTests(onHono));
describe("a route of a Hono app on Node", { timeout: 60_000 }, mountTests(onHonoServer));
describe("route handlers of Next", { timeout: 60_000 }, mountTests(onNext));

const { api } = await testCrm([one]);
after(() => api.close());

test("toNextHandlers passes the client address of remoteAddress and the Next.js request to authenticate", async () => {
  const received: RequestEnv[] = [];
  const watched = {
    fetch(request: Request, env: RequestEnv = {}) {
      received.push(env);
      return api.fetch(request);
    },
  };
  const remoteAddress = ({ headers }: Request) => headers.get("x-real-ip") ?? undefined;
  const request = new Request(`http://crm.test${base}/me`, { headers: { "x-real-ip": "192.0.2.7" } });
  await toNextHandlers(watched, { remoteAddress }).GET(request);
  await toNextHandlers(watched).GET(request);
  assert.deepEqual(received, [
    { remoteAddress: "192.0.2.7", hostRequest: request },
    { remoteAddress: undefined, hostRequest: request },
  ]);
});
