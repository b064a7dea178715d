import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { build } from "esbuild";
import { clientTypes, clientTypesFile } from "../../../build/openapi/types.ts";
import type { Task } from "../../../lib/client/index.ts";
import { clientOf } from "../../support/client.ts";
import { testCrm } from "../../support/harness.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const crm = await testCrm([one]);
after(() => crm.api.close());
const client = clientOf(crm, one.key);

/** Syncs into a mirror from its watermark. `handle` may fail. */
async function syncInto(mirror: Map<string, Task>, since: string | undefined, handle: () => void = () => {}) {
  let stored = since;
  const pages: number[] = [];
  await client.tasks
    .sync({
      since,
      limit: 2,
      onPage(records) {
        pages.push(records.length);
        handle();
        for (const record of records) mirror.set(record.id, record);
      },
      onWatermark(mark) {
        stored = mark;
      },
    })
    .catch((error: unknown) => assert.equal((error as Error).message, "interrupted"));
  return { stored, pages };
}

async function everything(): Promise<Map<string, Task>> {
  const all = new Map<string, Task>();
  for await (const task of client.tasks.list({ includeArchived: true }).records()) all.set(task.id, task);
  return all;
}

test("sync resumes without a gap after an interruption, and includes archived records", async () => {
  for (let index = 0; index < 7; index++) await client.tasks.create({ title: `Task ${index}` });
  const mirror = new Map<string, Task>();
  let handled = 0;
  const interrupted = await syncInto(mirror, undefined, () => {
    if (++handled === 3) throw new Error("interrupted");
  });
  assert.deepEqual(interrupted.pages, [2, 2, 2]);
  assert.equal(mirror.size, 4);
  const [gone] = mirror.keys();
  await client.tasks.archive(gone ?? "");
  const { stored } = await syncInto(mirror, interrupted.stored);
  assert.deepEqual(mirror, await everything());
  assert.equal(typeof mirror.get(gone ?? "")?.archivedAt, "string");

  const idle = await syncInto(mirror, stored);
  assert.deepEqual([idle.pages, idle.stored], [[1], stored], "the last one comes once more");
});

test("sync restarts from its watermark if the cursor is no longer valid", async () => {
  const mirror = new Map<string, Task>();
  let calls = 0;
  const invalidatingCursor = clientOf(crm, one.key, {
    fetch(url, init) {
      const isSecond = ++calls === 2;
      return crm.api.fetch(new Request(isSecond ? url.replace(/cursor=.{10}/, "cursor=AAAAAAAAAA") : url, init));
    },
  });
  await invalidatingCursor.tasks.sync({
    limit: 3,
    onPage: (records) => {
      for (const record of records) mirror.set(record.id, record);
    },
  });
  assert.deepEqual(mirror, await everything());
});

test("sync fails before onPage if a proxy removes X-Next-Updated-Since", async () => {
  const hiding = clientOf(crm, one.key, {
    async fetch(url, init) {
      const { status, headers, body } = await crm.api.fetch(new Request(url, init));
      headers.delete("x-next-updated-since");
      return new Response(body, { status, headers });
    },
  });
  const calls: string[] = [];
  const syncing = hiding.tasks.sync({
    onPage: () => void calls.push("page"),
    onWatermark: (since) => void calls.push(since),
  });
  await assert.rejects(syncing, /^Error: The response has no X-Next-Updated-Since header\./);
  assert.deepEqual(calls, []);
});

test("lib/client/types.ts is up to date with docs/openapi.json (npm run client-types)", () => {
  assert.ok(readFileSync(clientTypesFile, "utf8") === clientTypes(), "lib/client/types.ts is not current");
});

test("the client needs no package and no Node, and is under 8 KB minified", async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: ["lib/client/index.ts"],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "neutral",
    metafile: true,
  });
  const outside = Object.keys(metafile.inputs).filter((path) => !path.startsWith("lib/client/"));
  assert.deepEqual(outside, []);
  const bytes = outputFiles[0]?.contents.length ?? 0;
  assert.ok(bytes > 1_000 && bytes < 8_192, `${bytes} bytes`);
  assert.doesNotMatch(outputFiles[0]?.text ?? "", /\bprocess\b|\bBuffer\b|\brequire\b|node:/);
});
