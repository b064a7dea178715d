import assert from "node:assert/strict";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Started, serving } from "../support/program.ts";

/** The values that tell versions of a record apart, by ID. */
export type Versions = ReadonlyMap<string, string>;

/** A data pipeline with its destination. */
export type Pipeline = {
  /** Starts a run that can be killed. */
  start(): Pick<Started, "child" | "ended">;
  /** Returns what the destination has. */
  read(list: string): Promise<Versions>;
};

/** The lists of changes. */
export const lists = ["accounts", "contacts", "opportunities", "tasks", "notes", "events"];
const written = ["accounts", "contacts", "opportunities", "tasks", "tasks", "tasks", "notes"];
const apiKey = "crm_test_nhhnzHf9_nhhnzHf9jPB315FVrJrVF513BPj9fHznhhnzHf9jPB30Hqwkq";
const headers = { "x-api-key": apiKey, "content-type": "application/json" };
/** Number of writes per page that the pipeline reads. */
const writesPerPage = 10;

/**
 * Runs a pipeline while records are created, changed, archived and restored. It is killed at random moments, the server
 * is restarted in two other runs, and some requests get 429 or 503. Returns how the destination differs from the tenant
 * after the writer has stopped and one more run has ended.
 */
export async function runHistory(
  t: TestContext,
  folder: string,
  random: () => number,
  size: { readonly kills: number; readonly runs: number },
  create: (crmUrl: string, apiKey: string) => Pipeline | Promise<Pipeline>,
) {
  const storageArgs = ["--data", join(folder, "data"), "--fixtures", "sync-torture", "--rate-limit", "1000000"];
  let server = await serving(t, ...storageArgs);
  const url = server.greeting.url;
  const restart = async () => {
    server.child.kill("SIGTERM");
    await server.ended;
    server = await serving(t, ...storageArgs, "--listen", new URL(url).host);
  };
  let restarting: Promise<void> | undefined;
  let failures = 0;
  const counts = { requests: 0, rejected: 0, broken: 0, kills: 0, restarts: 0, writes: 0 };
  let onRequest = (): void => {};
  const proxyUrl = await startProxy(t, async (incoming, outgoing) => {
    counts.requests++;
    onRequest();
    const status = random() < 0.05 ? (random() < 0.5 ? 429 : 503) : undefined;
    if (status !== undefined) {
      counts.rejected++;
      return void outgoing.writeHead(status, { "retry-after": "1" }).end();
    }
    // dlt gives up after 15 seconds, so later requests wait until the server is back, however long it takes.
    if (failures >= 2) await restarting;
    const enough = counts.writes + writesPerPage;
    while (isWriting && counts.writes < enough) await pause(1);
    const forwarded = request(new URL(incoming.url ?? "", url), { headers: incoming.headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on("error", () => {
      counts.broken++;
      failures++;
      outgoing.destroy();
    });
    forwarded.end();
  });

  const send = async (method: string, path: string, body?: object) => {
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${url}/integrations/v1/${path}`, init);
    return method === "DELETE" ? undefined : ((await response.json()) as { readonly data: { readonly id: string } });
  };
  const contactId = (await send("POST", "contacts", { name: "Ana Diaz" }))?.data.id;
  const tasks = await readList("tasks", `${url}/integrations/v1/tasks`);
  const [active, archived]: [string[], string[]] = [[...tasks.keys()].map((id) => `tasks/${id} title`), []];
  const take = (from: string[]): string => from.splice(Math.floor(random() * from.length), 1)[0] ?? "";
  const write = async (): Promise<void> => {
    const [text, choice] = [`${counts.writes++} ${random()}`, random()];
    const list = written[Math.floor(random() * written.length)] ?? "";
    const field = { notes: "body", tasks: "title" }[list] ?? "name";
    const relatedTo = list === "notes" && { relatedTo: { type: "contact", id: contactId } };
    if (choice < 0.4) {
      const created = await send("POST", list, { [field]: text, ...relatedTo });
      active.push(`${list}/${created?.data.id} ${field}`);
    } else {
      const isRestore = choice > 0.9 && archived.length > 0;
      const chosen = take(isRestore ? archived : active);
      const [path = "", name = ""] = chosen.split(" ");
      // If the server restarts, it is unknown whether the write happened. The next write of the record tells nothing
      // new.
      (choice > 0.8 && !isRestore ? archived : active).push(chosen);
      if (isRestore) await send("POST", `${path}/restore`);
      else if (choice > 0.8) await send("DELETE", path);
      else await send("PATCH", path, { [name]: text });
    }
  };
  let isWriting = true;
  const writing = (async () => {
    // A write fails while the server restarts.
    for (; isWriting; await pause(3)) await write().catch(() => pause(20));
  })();

  const pipeline = await create(`${proxyUrl}/integrations/v1`, apiKey);
  let lastMs = 0;
  const run = async (killAfterMs?: number): Promise<void> => {
    const startedAt = performance.now();
    const { child, ended } = pipeline.start();
    if (killAfterMs !== undefined) setTimeout(() => child.kill("SIGKILL"), killAfterMs).unref();
    const { code, signal, stderr } = await ended;
    if (signal === "SIGKILL") return void counts.kills++;
    assert.equal(code, 0, stderr.slice(-3000));
    lastMs = performance.now() - startedAt;
  };
  await run();
  for (let runs = 1; counts.kills < size.kills || runs < size.runs; runs++) {
    if (runs === 2 || runs === 5) {
      restarting = undefined;
      failures = 0;
      const restarts = counts.restarts;
      onRequest = () => {
        restarting ??= restart().then(() => void counts.restarts++);
      };
      // A run after a kill can finish the load of the former run, without a request.
      while (counts.restarts === restarts) {
        await run();
        await restarting;
      }
      failures = 0;
      onRequest = () => {};
    } else await run(counts.kills < size.kills ? (0.2 + 0.9 * random()) * lastMs : undefined);
  }
  await run();
  isWriting = false;
  await writing;
  await run();
  const result = { rows: 0, archived: 0, missing: 0, stale: 0, extra: 0 };
  for (const list of lists) {
    const [expected, actual] = [await readList(list, `${url}/integrations/v1/${list}`), await pipeline.read(list)];
    result.rows += expected.size;
    result.archived += [...expected.values()].filter((version) => version.includes(" ")).length;
    result.missing += [...expected.keys()].filter((id) => !actual.has(id)).length;
    result.stale += [...expected].filter(([id, version]) => actual.has(id) && actual.get(id) !== version).length;
    result.extra += [...actual.keys()].filter((id) => !expected.has(id)).length;
  }
  t.diagnostic(JSON.stringify({ ...counts, ...result }));
  return { ...counts, ...result };
}

/** Returns the value that differs between versions of a record. */
export function versionOf(record: { readonly updatedAt: string; readonly archivedAt?: string | null }): string {
  return record.archivedAt ? `${record.updatedAt} ${record.archivedAt}` : record.updatedAt;
}

type ListPage = {
  readonly data: readonly { readonly id: string; readonly updatedAt: string }[];
  readonly nextCursor: string | null;
};

async function readList(list: string, url: string): Promise<Versions> {
  const versions = new Map<string, string>();
  const archived = list === "events" ? "" : "&includeArchived=true";
  for (let cursor: string | null = ""; cursor !== null; ) {
    const response: Response = await fetch(`${url}?limit=200${archived}&cursor=${cursor}`, { headers });
    const page = (await response.json()) as ListPage;
    for (const record of page.data) versions.set(record.id, versionOf(record));
    cursor = page.nextCursor;
  }
  return versions;
}

async function startProxy(
  t: TestContext,
  handle: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>,
): Promise<string> {
  const proxy = createServer((incoming, outgoing) => void handle(incoming, outgoing));
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
  t.after(() => proxy.closeAllConnections());
  t.after(() => proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
