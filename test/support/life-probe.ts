import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingMessage, request as startRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import "node:test";
import "express";
import "fastify";
import "hono";

/**
 * Mounts two APIs in each server framework, sends requests and closes everything. Prints as JSON the statuses of the
 * responses and the differences in the process. Usage: `node test/support/life-probe.ts`.
 */

/** Returns the globals, listeners, environment variables and handles that a library could leave behind, by name. */
function state(): ReadonlyMap<string, unknown> {
  const globals = globalThis as unknown as Readonly<Record<string, unknown>>;
  const names = Object.getOwnPropertyNames(globalThis).filter((name) => !name.endsWith("Storage"));
  const handles = process.getActiveResourcesInfo();
  return new Map<string, unknown>([
    ...names.map((name) => [`globalThis.${name}`, globals[name]] as const),
    ...process.eventNames().map((name) => [`process.on ${String(name)}`, process.listenerCount(name)] as const),
    ...Object.entries(process.env).map(([name, value]) => [`process.env.${name}`, value] as const),
    ...[...new Set(handles)].map((name) => [`open ${name}`, handles.filter((each) => each === name).length] as const),
  ]);
}

const before = state();
const { testCrm } = await import("./harness.ts");
const { express5, onExpress, onFastify, onNode } = await import("./mount-hosts.ts");
const { sqliteStorage } = await import("../../lib/storage/sqlite/index.ts");
const { testTenant } = await import("./tenants.ts");

const one = testTenant(1);
const folder = mkdtempSync(join(tmpdir(), "crm-life-"));
const statuses: unknown[] = [];
let count = 0;
for (const mount of [onNode, onExpress(express5, express5.json()), onFastify]) {
  const storage = () => sqliteStorage({ file: join(folder, String(++count), "crm.db") });
  const crms = [await testCrm([one], { storage: storage() }), await testCrm([one], { storage: storage() })];
  const mounted = await mount({ "/a": crms[0]?.api as never, "/b": crms[1]?.api as never });
  for (const prefix of ["/a", "/b"]) {
    const headers = { "x-api-key": one.key, "content-type": "application/json" };
    const request = startRequest(`${mounted.origin}${prefix}/integrations/v1/tasks`, {
      method: "POST",
      headers,
      agent: false,
    });
    const [response] = (await once(request.end('{"title":"Call"}'), "response")) as [IncomingMessage];
    await Promise.all([once(response, "close"), text(response)]);
    statuses.push(response.statusCode);
  }
  await mounted.close();
  for (const { api } of crms) await api.close();
}
rmSync(folder, { recursive: true });
// Sockets close in a later turn of the event loop.
await new Promise((resolve) => setImmediate(resolve));
await new Promise((resolve) => setImmediate(resolve));

const now = state();
const changed = [...new Set([...before.keys(), ...now.keys()])].filter(
  (name) => !Object.is(before.get(name), now.get(name)),
);
process.stdout.write(JSON.stringify({ statuses, changed }));
// An API that isn't closed must not prevent the exit of the process.
await testCrm([one]);
