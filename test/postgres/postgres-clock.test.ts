import assert from "node:assert/strict";
import { test } from "node:test";
import type { Storage } from "../../lib/index.ts";
import type { Position } from "../../lib/storage/storage.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { sequentialIds, TestClock } from "../support/harness.ts";
import { freshAddress, storageAt } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";
import { tenantFile, testTenant } from "../support/tenants.ts";

const one = testTenant(1);
const commitsEach = 60;

/** Inserts copies of the tenant's task in sequence, with IDs that contain `letter`. Returns the commit time of each. */
async function insertCopies(storage: Storage, letter: string): Promise<readonly number[]> {
  const task = (await storage.get(one.id, "task", one.task)) ?? assert.fail("the tenant has a task");
  const times: number[] = [];
  for (let count = 0; count < commitsEach; count++) {
    const id = `${one.task.slice(0, 24)}${letter}${String(count).padStart(11, "0")}`;
    let time = 0;
    await storage.commit(one.id, 0, (at) => {
      time = at;
      return [{ op: "insert", kind: "task", record: { ...task, id, updatedAt: at } }];
    });
    times.push(time);
  }
  return times;
}

/** Reads pages until `isDone`, and once more to the end. Returns the IDs in the order of the pages. */
async function readPages(storage: Storage, isDone: () => boolean): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: Position | undefined;
  for (let last = false; !last; ) {
    last = isDone();
    for (let more = true; more; ) {
      const page = await storage.list(one.id, "task", { limit: 7, ...(after && { after }) });
      ids.push(...page.map(({ id }) => id));
      after = page.at(-1) ?? after;
      more = page.length === 7;
    }
  }
  return ids;
}

for (const pipeline of [true, false]) {
  test(`concurrent commits of several servers${pipeline ? "" : " without pipelining"} have different times, and a client that reads pages misses none`, {
    skip: noPostgres,
    timeout: 120_000,
  }, async () => {
    const address = await freshAddress();
    const servers = await Promise.all(["a", "b", "c", "d"].map(() => storageAt(address, { pipeline })));
    const [first = assert.fail()] = servers;
    await loadTenantFile(first, tenantFile(one), { clock: new TestClock(), newId: sequentialIds() });
    let isDone = false;
    const writing = Promise.all(servers.map((server, index) => insertCopies(server, "abcd"[index] ?? "")));
    const ended = writing.finally(() => {
      isDone = true;
    });
    const [times, ...reads] = await Promise.all([
      ended,
      readPages(first, () => isDone),
      readPages(first, () => isDone),
    ]);
    const all = times.flat();
    assert.equal(new Set(all).size, servers.length * commitsEach);
    const stored = (await first.list(one.id, "task", {})).map(({ id }) => id);
    for (const read of reads) assert.deepEqual(read, stored);
    await Promise.all(servers.map((server) => server.close()));
  });
}
