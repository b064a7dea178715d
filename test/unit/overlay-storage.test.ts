import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { describeStorage } from "../../lib/storage/contract/index.ts";
import { idOf, insertWrite, newAccount, newTask, startTime, updateWrite } from "../../lib/storage/contract/records.ts";
import { memoryStorage } from "../../lib/storage/memory.ts";
import { overlayStorage } from "../../lib/storage/overlay.ts";
import type { Storage } from "../../lib/storage/storage.ts";
import { wrapStorage } from "../../lib/storage/wrap-storage.ts";
import { one, unknown } from "../support/crm.ts";
import { testCrm } from "../support/harness.ts";

// Reports name the file that calls `describe`.
const suite = (name: string, body: () => void): void => void describe(name, body);

const tenant = idOf(1, 0);

/** Opens a storage whose first commits reach the storage below, and all later ones the overlay. */
async function openOverlay(stored: number): Promise<Storage> {
  const base = memoryStorage();
  const overlay = overlayStorage(base);
  let commits = 0;
  return wrapStorage(base, {
    get: (...args) => overlay.get(...args),
    getJson: (...args) => overlay.getJson(...args),
    list: (...args) => overlay.list(...args),
    listJson: (...args) => overlay.listJson(...args),
    activeOpportunities: (...args) => overlay.activeOpportunities(...args),
    search: (...args) => overlay.search(...args),
    count: (...args) => overlay.count(...args),
    openTotals: (...args) => overlay.openTotals(...args),
    settingsVersion: (...args) => overlay.settingsVersion(...args),
    eventsFrom: (...args) => overlay.eventsFrom(...args),
    commit: (...args) => (commits++ < stored ? base : overlay).commit(...args),
  });
}

/** Contract tests that an overlay doesn't pass: other methods, references, and times after those of its storage. */
const unsupported = new RegExp(
  [
    "activeOpportunities|search\\(\\)|findApiKey|listTenants|webhookClocks|pruneIdempotencyRecords|pruneEvents|eventsFrom|close\\(\\)|cursorSecret|^count\\(\\)|openTotals",
    "reference to|that doesn't exist|hash of any tenant",
    "concurrent commits|during commits|later than the last commit|its own clock|advance the clock|later commits follow the newest",
  ].join("|"),
);
const itIfSupported = (name: string, body: () => Promise<void>) =>
  unsupported.test(name) ? undefined : it(name, body);

for (const stored of [0, 1, 2, 3]) {
  const subject = { open: () => openOverlay(stored) };
  describeStorage(`overlay after ${stored} commits`, subject, { describe: suite, it: itIfSupported });
}

test("the commits of an overlay don't reach the storage below", async () => {
  const { storage: base } = await testCrm([one]);
  const overlay = overlayStorage(base);
  const read = async (storage: Pick<Storage, "list">) =>
    (await storage.list(one.id, "account", {})).map(({ name }) => name);
  const before = await read(base);
  const [account] = await base.list(one.id, "account", {});
  if (account === undefined) throw new Error("no account");
  const { updatedAt: expectedUpdatedAt } = account;
  await overlay.commit(one.id, 0, (at) => [
    { op: "update", kind: "account", record: { ...account, name: "Renamed", updatedAt: at }, expectedUpdatedAt },
    { op: "insert", kind: "account", record: { ...account, id: unknown, name: account.name, updatedAt: at } },
  ]);
  assert.deepEqual(await read(overlay), ["Renamed", account.name]);
  assert.deepEqual(await read(base), before);
});

test("commits of an overlay at one time get increasing timestamps", async () => {
  const overlay = overlayStorage(memoryStorage());
  const times: number[] = [];
  for (const number of [1, 2, 3]) {
    await overlay.commit(tenant, startTime, (at) => [insertWrite("task", newTask(idOf(1, number), at))]);
    times.push((await overlay.get(tenant, "task", idOf(1, number)))?.updatedAt ?? 0);
  }
  assert.deepEqual(times, [startTime, startTime + 1, startTime + 2]);
});

test("an overlay finds a record by its new value after an update, and no longer by the old one", async () => {
  const overlay = overlayStorage(memoryStorage());
  const name = async (value: string) => (await overlay.list(tenant, "account", { where: { name: value } })).length;
  const before = { ...newAccount(idOf(1, 1), startTime), name: "Old" };
  await overlay.commit(tenant, startTime, () => [insertWrite("account", before)]);
  assert.deepEqual([await name("Old"), await name("New")], [1, 0]);
  await overlay.commit(tenant, startTime, (at) => [updateWrite("account", before, { name: "New", updatedAt: at })]);
  assert.deepEqual([await name("Old"), await name("New")], [0, 1]);
});
