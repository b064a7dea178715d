import assert from "node:assert/strict";
import { after, test } from "node:test";
import { crmHandlers } from "../lib/http/next.ts";
import type { Transport } from "../lib/index.ts";
import { testCrm } from "./harness.ts";
import { alone, onHono, onNext, onNode } from "./mount-hosts.ts";
import { base, describeMount, one } from "./mounts.ts";

describeMount("api.fetch alone", alone);
describeMount("the listener for node:http", onNode);
describeMount("a route of Hono", onHono);
describeMount("route handlers of Next", onNext, { methods: true });

const { api } = await testCrm([one]);
after(() => api.close());

/** A request as Next shows it: in production without the base path, and without saying so. */
function shown(path: string, nextBasePath?: string): Request {
  const headers = { "x-api-key": one.key, "content-type": "application/json" };
  const request = new Request(`http://crm.test${path}`, { method: "POST", headers, body: '{"title":"Call"}' });
  return nextBasePath === undefined ? request : Object.assign(request, { nextUrl: { basePath: nextBasePath } });
}

test("in Next, Location leads back through the base path, whether the address shows it or not", async () => {
  const locations = [];
  for (const [path, option, nextUrl] of [
    [base, undefined, undefined],
    [base, undefined, ""],
    [base, "/docs", undefined],
    [base, "/docs", ""],
    [base, undefined, "/docs"],
    [`/docs${base}`, "/docs", undefined],
    [`/docs${base}`, undefined, "/docs"],
    [`/docsy${base}`, "/docs", undefined],
  ] as const) {
    const { POST } = crmHandlers(api, option === undefined ? {} : { basePath: option });
    const made = await POST(shown(`${path}/tasks`, nextUrl));
    const { data } = (await made.json()) as { data: { id: string } };
    locations.push(made.headers.get("location")?.replace(`${base}/tasks/${data.id}`, ""));
  }
  assert.deepEqual(locations, ["", "", "/docs", "/docs", "/docs", "/docs", "/docs", "/docs/docsy"]);
});

test("in Next, the host says which header to trust for the client's address, and its request comes along", async () => {
  const told: Transport[] = [];
  const watched = {
    fetch(request: Request, transport: Transport = {}) {
      told.push(transport);
      return api.fetch(request);
    },
  };
  const remoteAddress = ({ headers }: Request) => headers.get("x-real-ip") ?? undefined;
  const request = new Request(`http://crm.test${base}/me`, { headers: { "x-real-ip": "192.0.2.7" } });
  await crmHandlers(watched, { remoteAddress }).GET(request);
  await crmHandlers(watched).GET(request);
  assert.deepEqual(told, [
    { remoteAddress: "192.0.2.7", prefix: "", incoming: request },
    { remoteAddress: undefined, prefix: "", incoming: request },
  ]);
});
