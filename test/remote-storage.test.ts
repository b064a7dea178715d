import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { HostRules, Storage } from "../lib/index.ts";
import { memoryStorage } from "../lib/memory-storage.ts";
import { one, openCrm } from "./crm.ts";
import { storageWith } from "./storage-with.ts";

/** The API over a storage that is as if far away or not, and what it was asked of while nothing was answered yet. */
async function opened(isRemote: boolean, rules: HostRules = {}) {
  const memory = memoryStorage();
  let asked: string[] | undefined;
  const tell = async <T>(what: string, answer: Promise<T>): Promise<T> => {
    asked?.push(what);
    const result = await answer;
    await new Promise((resolve) => setImmediate(resolve));
    asked?.push("answered");
    return result;
  };
  const storage = storageWith(memory, {
    isRemote,
    get: (tenant, kind, id) => tell(kind, memory.get(tenant, kind, id)),
    list: (tenant, kind, query) => tell(kind, memory.list(tenant, kind, query)) as ReturnType<Storage["list"]> as never,
  });
  const crm = await openCrm({}, { storage, rules });
  const post = async (key: string, body: unknown) => {
    const headers = { "idempotency-key": key };
    asked = [];
    const { status, headers: answered, text } = await crm.send("POST", "/tasks", { key: one.key, headers, body });
    const together = asked.slice(0, asked.indexOf("answered"));
    asked = undefined;
    return { status, text, replayed: answered.get("idempotent-replayed"), together };
  };
  return { crm, post };
}

const body = { title: "Call", relatedTo: { type: "account", id: one.account } };

for (const isRemote of [true, false]) {
  const rest = isRemote ? ["rule", "account"] : [];
  test(`${isRemote ? "far away" : "in the process"}, with the kept answer ${rest.join(" and ") || "nothing"} is asked for`, async () => {
    const { crm, post } = await opened(isRemote);
    const key = crypto.randomUUID();
    const [first, second] = [await post(key, body), await post(key, body)];
    assert.deepEqual([first.status, first.together], [201, ["idempotencyRecord", ...rest]]);
    assert.deepEqual(second, { ...first, replayed: "true" });
    const other = await post(key, { title: "Other" });
    assert.deepEqual([other.status, JSON.parse(other.text).error.code], [422, "idempotency_key_reused"]);
    assert.equal((await crm.storage.list(one.id, "task", { where: { relatedToId: one.account } })).length, 1);
  });
}

async function unhandledIn(t: TestContext): Promise<unknown[]> {
  const seen: unknown[] = [];
  const see = (reason: unknown): void => void seen.push(reason);
  process.on("unhandledRejection", see);
  t.after(() => process.off("unhandledRejection", see));
  return seen;
}

test("what a handler finds wrong, or fails with, is forgotten where an answer was kept", async (t) => {
  const unhandled = await unhandledIn(t);
  let asked = 0;
  const failing = (): [] => {
    if (++asked > 1) throw new TypeError("The host's rule has a fault.");
    return [];
  };
  const { crm, post } = await opened(true, { task: [failing] });
  const key = crypto.randomUUID();
  const first = await post(key, body);
  assert.equal(first.status, 201);
  assert.equal((await crm.send("DELETE", `/accounts/${one.account}`, { key: one.key })).status, 204);
  assert.deepEqual(await post(key, body), { ...first, replayed: "true" });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([asked, unhandled], [2, []]);
});
