import assert from "node:assert/strict";
import { test } from "node:test";
import { pruneOldEvents } from "../../../lib/api/maintenance.ts";
import { type Api, createApi } from "../../../lib/index.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { type Result, sendUnchecked, TestClock } from "../../support/harness.ts";
import { sharedStorages } from "../../support/storages.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";
import { noLimit } from "../exactly-once/final-state.ts";
import { figures, seed, seededRandom, size } from "../size.ts";
import { allEvents, assertEventPerChange, EventFollower } from "./event-follower.ts";

const rounds = size(60, 1_500);
const [writers, hourMs, dayMs] = [8, 3_600_000, 86_400_000];
const one = testTenant(1);

test("a follower over sweeps, two servers and clocks two hours apart receives every event once, in order", async (t) => {
  t.diagnostic(`FC_SEED=${seed}`);
  const random = seededRandom();
  const storages = await sharedStorages();
  const clocks = [0, 2 * hourMs].map((ahead) => new TestClock(Date.parse("2026-03-01T12:00:00.000Z") + ahead));
  await loadTenantFile(storages[0], tenantFile(one), { clock: clocks[0] as TestClock });
  const apis = storages.map((storage, index) =>
    createApi({ storage, clock: clocks[index] as TestClock, rateLimiter: noLimit }),
  );
  const send = (method: string, path: string, body?: object): Promise<Result> => {
    const api = apis[random() < 0.5 ? 0 : 1] as Api;
    return sendUnchecked(api, method, path, { key: one.key, ...(body && { body }) });
  };
  const get = (query: string) => send("GET", `/events?${query}`);
  const follower = new EventFollower();
  const written: string[] = [];
  let [deleted, expired] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const reading = (async () => {
      for (let pages = 0; pages < 3; pages++) {
        const isLast = await follower.page(get, 1 + Math.floor(random() * 40));
        if (random() < 0.3) follower.store();
        if (random() < 0.1) follower.crash();
        if (isLast) break;
      }
    })();
    await Promise.all([reading, ...Array.from({ length: writers }, () => change(send, random))]);
    for (const clock of clocks) clock.advance(Math.floor(random() * 2 * hourMs));
    if (round % 20 !== 19) continue;
    while (!(await follower.page(get, 200)));
    follower.store();
    written.push(...(await idsAfter(written)));
    deleted += await pruneOldEvents(storages[1], (clocks[0] as TestClock).now() - dayMs);
    const late = await get("updatedSince=2026-03-01T12:00:00.000Z");
    if (late.status === 400) expired++;
    assert.equal(late.status === 400, deleted > 0, late.text);
  }
  while (!(await follower.page(get, 200)));
  written.push(...(await idsAfter(written)));
  assert.deepEqual(follower.ids, written);
  assert.ok(deleted > 0 && expired > 0);
  figures(t, "followed-events", { writes: written.length, pages: follower.pages, "events deleted": deleted });
  await Promise.all(apis.map((api) => api.close()));

  /** Returns the IDs of the stored events after those of a list. */
  async function idsAfter(known: readonly string[]): Promise<string[]> {
    const last = known.at(-1) ?? "";
    const stored = await allEvents(storages[0], one.id);
    return stored.map(({ id }) => id).filter((id) => id > last);
  }
});

test("every change of a record has one event while clients write to two servers", async (t) => {
  const random = seededRandom(seed + 1);
  const storages = await sharedStorages();
  const clock = new TestClock();
  await loadTenantFile(storages[0], tenantFile(one), { clock });
  const apis = storages.map((storage) => createApi({ storage, clock, rateLimiter: noLimit }));
  const send = (method: string, path: string, body?: object): Promise<Result> =>
    sendUnchecked(apis[random() < 0.5 ? 0 : 1] as Api, method, path, { key: one.key, ...(body && { body }) });
  for (let round = 0; round < rounds; round++)
    await Promise.all(Array.from({ length: writers }, () => change(send, random)));
  const events = await assertEventPerChange(storages[0], one.id);
  assert.ok(events > rounds);
  figures(t, "followed-events", { changes: events });
  await Promise.all(apis.map((api) => api.close()));
});

/** Sends a random write: a new task, a change of the task of the tenant file, or a batch. */
async function change(send: (method: string, path: string, body?: object) => Promise<Result>, random: () => number) {
  const title = `Task ${random()}`;
  const choice = random();
  if (choice < 0.3) await send("POST", "/tasks", { title });
  else if (choice < 0.6) await send("PATCH", `/tasks/${one.task}`, { title });
  else if (choice < 0.7) await send("DELETE", `/contacts/${one.contact}`);
  else if (choice < 0.8) await send("POST", `/contacts/${one.contact}/restore`);
  else {
    const operations = ["a", "b", "c"].map((name) => ({ op: "create", data: { title: `${title} ${name}` } }));
    await send("POST", "/tasks/batch", { operations });
  }
}
