import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import type { LimitState, Storage } from "../lib/index.ts";
import { sqliteStorage } from "../lib/sqlite/index.ts";
import { dataOf, type ShownTask } from "./answers.ts";
import { type TestCrm, testCrm } from "./harness.ts";
import { storageWith } from "./storage-with.ts";
import { testTenant } from "./tenants.ts";

const one = testTenant(1);
const { key } = one;
const state: LimitState = { accepted: true, limit: 300, remaining: 299, resetMs: 60_000, retryMs: 0 };

/** What a writer does next: after some turns of the event loop and a step of the wall clock, one request. */
type Step = {
  readonly act: "create" | "patch" | "archive" | "restore";
  readonly pick: number;
  readonly stepMs: number;
};
/** A page that the reader asks for; then it goes on with the cursor, or forgets it and keeps the stored point. */
type Read = { readonly limit: number; readonly turns: number; readonly forget: boolean };
type History = {
  readonly writers: readonly (readonly Step[])[];
  readonly reads: readonly Read[];
  readonly delays: Delays;
};
type Delays = Iterator<number>;

const writersMax = 20;
const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom("create", "create", "patch", "patch", "patch", "archive", "restore"),
  pick: fc.nat(1_000),
  stepMs: fc.oneof(fc.constant(0), fc.integer({ min: -3, max: 3 }), fc.integer({ min: -100_000, max: 100_000 })),
});
const read: fc.Arbitrary<Read> = fc.record({
  limit: fc.integer({ min: 1, max: 6 }),
  turns: fc.nat(6),
  forget: fc.boolean(),
});
const history: fc.Arbitrary<History> = fc.record({
  writers: fc.array(fc.array(step, { minLength: 1, maxLength: 2 }), { minLength: writersMax, maxLength: writersMax }),
  reads: fc.array(read, { maxLength: 15 }),
  delays: fc.infiniteStream(fc.constantFrom(0, 0, 0, 1, 2)),
});

/** The storage, a little late now and then: before it looks, and before what it found is heard of. */
function late(storage: Storage, delays: Delays): Storage {
  const sometimes = async <T>(act: () => Promise<T>): Promise<T> => {
    await turns(delays.next().value);
    const result = await act();
    await turns(delays.next().value);
    return result;
  };
  return storageWith(storage, {
    get: (...args) => sometimes(() => storage.get(...args)),
    list: (...args) => sometimes(() => storage.list(...args)),
    commit: (...args) => sometimes(() => storage.commit(...args)),
  });
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await turn();
}

async function write({ send, clock }: TestCrm, steps: readonly Step[], ids: string[], delays: Delays): Promise<void> {
  for (const { act, pick, stepMs } of steps) {
    await turns(delays.next().value);
    clock.set(clock.now() + stepMs);
    const path = `/tasks/${ids[pick % ids.length]}`;
    const body = { title: `Call ${pick}` };
    const request = {
      create: () => send("POST", "/tasks", { key, body }),
      patch: () => send("PATCH", path, { key, body }),
      archive: () => send("DELETE", path, { key }),
      restore: () => send("POST", `${path}/restore`, { key }),
    };
    const result = await request[act]();
    assert.ok(result.status < 500 && result.status !== 400, result.text);
    if (act === "create") ids.push(dataOf(result, 201).id);
  }
}

/** A client that keeps a copy of the tasks, and beside it only what it needs to go on. */
class Mirror {
  readonly tasks = new Map<string, ShownTask>();
  #point: string | undefined;
  #cursor: string | undefined;

  /** Takes in one page; answers whether it was the last. */
  async page({ send }: TestCrm, limit: number): Promise<boolean> {
    const since = this.#point === undefined ? "" : `&updatedSince=${this.#point}`;
    const from = this.#cursor === undefined ? `includeArchived=true${since}` : `cursor=${this.#cursor}`;
    const result = await send("GET", `/tasks?${from}&limit=${limit}`, { key });
    for (const task of dataOf<ShownTask[]>(result)) this.tasks.set(task.id, task);
    this.#point = result.headers.get("x-next-updated-since") ?? undefined;
    this.#cursor = (result.body as { nextCursor: string | null }).nextCursor ?? undefined;
    return this.#cursor === undefined;
  }

  /** What a restart of the client can cost. */
  forgetCursor(): void {
    this.#cursor = undefined;
  }
}

async function follow(crm: TestCrm, mirror: Mirror, reads: readonly Read[]): Promise<void> {
  for (const { limit, turns: count, forget } of reads) {
    await turns(count);
    await mirror.page(crm, limit);
    if (forget) mirror.forgetCursor();
  }
}

const seed = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31);

test(`however a sync is cut up, it ends with every task as it is (FC_SEED=${seed})`, async () => {
  const property = fc.asyncProperty(history, async ({ writers, reads, delays }) => {
    const storage = late(sqliteStorage({ file: ":memory:" }), delays);
    const crm = await testCrm([one], { storage, limiter: { take: async () => state } });
    const ids = [one.task, one.archivedTask];
    const mirror = new Mirror();
    const working = writers.map((steps) => write(crm, steps, ids, delays));
    await Promise.all([...working, follow(crm, mirror, reads)]);

    while (!(await mirror.page(crm, 7)));
    const table = await crm.send("GET", "/tasks?includeArchived=true&limit=200", { key });
    const expected = dataOf<ShownTask[]>(table);
    assert.equal(expected.length, ids.length);
    assert.deepEqual(mirror.tasks, new Map(expected.map((task) => [task.id, task])));
    await crm.api.close();
  });
  await fc.assert(property, { seed, numRuns: 1_000 });
});
