import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import type { CheckpointStore, Task } from "../../../lib/client/index.ts";
import { clientOf } from "../../support/client.ts";
import { testCrm } from "../../support/harness.ts";
import { seed } from "../../support/seed.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const crm = await testCrm([one]);
after(() => crm.api.close());
const { tasks } = clientOf(crm, one.key, {
  fetch: (url, init) => {
    // The rate limit counts by time.
    crm.clock.advance(1_000);
    return crm.api.fetch(new Request(url, init));
  },
});

function memoryStore(): CheckpointStore & { readonly saved: Map<string, string> } {
  const saved = new Map<string, string>();
  return { saved, load: (name) => saved.get(name), save: (name, watermark) => void saved.set(name, watermark) };
}

test("sync starts from the checkpoint of its name and saves one after each page", async () => {
  const checkpoints = memoryStore();
  for (const title of ["A", "B", "C"]) await tasks.create({ title });
  const watermark = await tasks.sync({ checkpoints, limit: 2, onPage: () => {} });
  assert.deepEqual([...checkpoints.saved], [["tasks", watermark]]);
  const { id } = await tasks.create({ title: "D" });
  const seen: string[] = [];
  await tasks.sync({ checkpoints, onPage: (records) => void seen.push(...records.map((each) => each.id)) });
  assert.equal(seen.at(-1), id);
  assert.ok(seen.length <= 2, `${seen.length} records`);
  await tasks.sync({
    checkpoints,
    name: "other",
    onPage: (records) => void seen.push(...records.map((each) => each.id)),
  });
  assert.ok(seen.length > 4);
  assert.deepEqual([...checkpoints.saved.keys()], ["tasks", "other"]);
});

/** Events during a page: other clients write, or the process ends before or after it has stored the page. */
const step = fc.record({
  creates: fc.nat(3),
  updates: fc.array(fc.nat(20), { maxLength: 3 }),
  archives: fc.array(fc.nat(20), { maxLength: 1 }),
  crash: fc.constantFrom("no", "no", "before", "after"),
});

test("a sync that crashes at any page misses no record that others write during it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      async (steps, limit) => {
        const checkpoints = memoryStore();
        const copy = new Map<string, Task>();
        const ids: string[] = [];
        const remaining = [...steps];
        const write = async ({ creates, updates, archives }: (typeof steps)[number]): Promise<void> => {
          for (let index = 0; index < creates; index++) ids.push((await tasks.create({ title: "New" })).id);
          for (const index of updates)
            if (ids[index]) await tasks.update(ids[index], { title: `Title ${remaining.length}` }).catch(() => {});
          for (const index of archives) if (ids[index]) await tasks.archive(ids[index]).catch(() => {});
        };
        const run = () =>
          tasks.sync({
            checkpoints,
            limit,
            async onPage(records) {
              const next = remaining.shift();
              if (next?.crash === "before") throw new Error("crash");
              for (const record of records) copy.set(record.id, record);
              if (next !== undefined) await write(next);
              if (next?.crash === "after") throw new Error("crash");
            },
          });
        while (remaining.length > 0) await run().catch((error: Error) => assert.equal(error.message, "crash"));
        await run();
        for await (const task of tasks.list({ includeArchived: true }).records())
          assert.deepEqual(copy.get(task.id), task);
      },
    ),
    { numRuns: 15, seed },
  );
});
