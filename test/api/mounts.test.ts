import assert from "node:assert/strict";
import { after, test } from "node:test";
import { toNextHandlers } from "../../lib/http/next.ts";
import type { RequestEnv } from "../../lib/index.ts";
import { testCrm } from "../support/harness.ts";
import { alone, onHono, onHonoServer, onNext, onNode } from "../support/mount-hosts.ts";
import { base, describeMount, one } from "../support/mounts.ts";

describeMount("api.fetch alone", alone);
describeMount("the listener for node:http", onNode);
describeMount("a route of Hono", onHono);
describeMount("a route of a Hono app on Node", onHonoServer);
describeMount("route handlers of Next", onNext);

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
