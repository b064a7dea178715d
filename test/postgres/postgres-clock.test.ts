import assert from "node:assert/strict";
import { test } from "node:test";
import type { Storage } from "../../lib/index.ts";
import type { Position } from "../../lib/storage/storage.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { sequentialIds, TestClock } from "../support/harness.ts";
import { freshAddress, storageAt } from "../support/postgres-place.ts";
import { postgresAbsent } from "../support/postgres-server.ts";
import { tenantFile, testTenant } from "../support/tenants.ts";

const one = testTenant(1);
const commitsEach = 60;

/** Copies of the tenant's task, one after the other, under ids of this letter. Answers the instant of each. */
async function copies(storage: Storage, letter: string): Promise<readonly number[]> {
  const task = (await storage.get(one.id, "task", one.task)) ?? assert.fail("the tenant has a task");
  const instants: number[] = [];
  for (let count = 0; count < commitsEach; count++) {
    const id = `${one.task.slice(0, 24)}${letter}${String(count).padStart(11, "0")}`;
    let made = 0;
    await storage.commit(one.id, 0, (at) => {
      made = at;
      return [{ op: "insert", kind: "task", record: { ...task, id, updatedAt: at } }];
    });
    instants.push(made);
  }
  return instants;
}

/** Every id that a walk meets which goes on and on while others write, and once more to its end. */
async function walked(storage: Storage, isOver: () => boolean): Promise<readonly string[]> {
  const met: string[] = [];
  let after: Position | undefined;
  for (let last = false; !last; ) {
    last = isOver();
    for (let more = true; more; ) {
      const page = await storage.list(one.id, "task", { limit: 7, ...(after && { after }) });
      met.push(...page.map(({ id }) => id));
      after = page.at(-1) ?? after;
      more = page.length === 7;
    }
  }
  return met;
}

for (const pipeline of [true, false]) {
  test(`concurrent commits of several servers${pipeline ? "" : " without pipelining"} have different times, and a client that reads pages misses none`, {
    skip: postgresAbsent,
    timeout: 120_000,
  }, async () => {
    const address = await freshAddress();
    const servers = await Promise.all(["a", "b", "c", "d"].map(() => storageAt(address, { pipeline })));
    const [first = assert.fail()] = servers;
    await loadTenantFile(first, tenantFile(one), { clock: new TestClock(), newId: sequentialIds() });
    let over = false;
    const writing = Promise.all(servers.map((server, index) => copies(server, "abcd"[index] ?? "")));
    const ended = writing.finally(() => {
      over = true;
    });
    const [instants, ...walks] = await Promise.all([ended, walked(first, () => over), walked(first, () => over)]);
    const all = instants.flat();
    assert.equal(new Set(all).size, servers.length * commitsEach);
    const left = (await first.list(one.id, "task", {})).map(({ id }) => id);
    for (const walk of walks) assert.deepEqual(walk, left);
    await Promise.all(servers.map((server) => server.close()));
  });
}
