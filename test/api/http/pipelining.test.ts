import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { serve } from "../../../lib/http/index.ts";
import type { Storage } from "../../../lib/index.ts";
import { wrapStorage } from "../../../lib/index.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { sequentialIds, TestClock, testCrm } from "../../support/harness.ts";
import { open } from "../../support/raw-http.ts";
import { freshStorage } from "../../support/storages.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const base = "/integrations/v1";

function request(method: string, path: string, requestId: string, body = "", ...head: string[]): string {
  const lines = [`${method} ${base}${path} HTTP/1.1`, "Host: a", `x-api-key: ${one.key}`, `x-request-id: ${requestId}`];
  const json = ["Content-Type: application/json", `Content-Length: ${body.length}`];
  return `${[...lines, ...(body === "" ? [] : json), ...head].join("\r\n")}\r\n\r\n${body}`;
}

/** A server that records the lookups of API keys. The first waits for `letThrough`. */
async function gatedServer(t: TestContext) {
  const storage = await freshStorage();
  const arrived = Promise.withResolvers<string>();
  const gate = Promise.withResolvers<void>();
  const lookups: string[] = [];
  const findApiKey: Storage["findApiKey"] = async (hash) => {
    lookups.push(hash);
    arrived.resolve(hash);
    if (lookups.length === 1) await gate.promise;
    return storage.findApiKey(hash);
  };
  // The tenant file is loaded without the gate, because the loader looks up API keys too.
  await loadTenantFile(storage, tenantFile(one), { clock: new TestClock(), newId: sequentialIds() });
  const crm = await testCrm([], { storage: wrapStorage(storage, { findApiKey }) });
  const { url, server } = await serve(crm.api, { host: "127.0.0.1", port: 0 });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { ...crm, url, arrived: arrived.promise, letThrough: gate.resolve, lookups };
}

test("pipelined requests of one connection are handled one at a time and responded to in order", {
  timeout: 30_000,
}, async (t) => {
  const { url, arrived, letThrough, lookups } = await gatedServer(t);
  const body = '{"title":"Second"}';
  const pipelined = [
    request("GET", `/tasks/${one.task}`, "first"),
    request("POST", "/tasks", "second", body),
    request("GET", "/tasks", "third"),
    request("DELETE", `/tasks/${one.task}`, "fourth"),
    request("GET", `/tasks/${one.task}`, "fifth", "", "Connection: close"),
  ];
  const { closed } = open(url, pipelined.join(""));
  const hash = await arrived;
  // Requests of other connections don't wait. After three of them, the second pipelined request would have started.
  for (let i = 0; i < 3; i++) {
    const other = await fetch(`${url}${base}/me`, { headers: { "x-api-key": one.secondKey } });
    assert.equal(other.status, 200);
  }
  assert.equal(lookups.filter((each) => each === hash).length, 1);
  letThrough();
  const responses = await closed;
  assert.deepEqual(
    responses.map(({ status, headers }) => [headers["x-request-id"], status]),
    [
      ["first", 200],
      ["second", 201],
      ["third", 200],
      ["fourth", 204],
      ["fifth", 404],
    ],
  );
  assert.match(responses[2]?.body ?? "", /"title":"Second"/);
});
