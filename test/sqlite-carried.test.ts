import assert from "node:assert/strict";
import { base, idOf, insert, newAccount, newTask } from "../lib/storage-contract/records.ts";
import { addTask, shared, testBoth } from "./sqlite-shared.ts";

/** Values that no thread can be sent, in an account that is otherwise as it must be. */
const unsendable: readonly (readonly [string, Record<string, unknown>])[] = [
  ["made", { customFields: new Proxy({ size: 1 }, {}) }],
  ["made", { customFields: { size: 1, half() {} } }],
  ["TypeError", { phone: Symbol("none") }],
];

testBoth(
  "what cannot be sent to a thread is made or refused as ever, and so are its neighbours",
  async (commitThread) => {
    const { storage, tenant, holder } = await shared(commitThread);
    const accounts = unsendable.map(([, fields], index) =>
      storage.commit(tenant, base, (at) => [insert("account", newAccount(idOf(1, index), at, fields as never))]),
    );
    const outcomes = await Promise.allSettled([...accounts, addTask(storage, tenant, 9)]);
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === "fulfilled" ? "made" : outcome.reason.constructor.name)),
      [...unsendable.map(([wanted]) => wanted), "made"],
    );
    assert.deepEqual(
      (await storage.list(tenant, "account", {})).map(({ customFields }) => customFields),
      [{ size: 1 }, { size: 1 }],
    );
    assert.deepEqual(await storage.list(tenant, "task", {}), [newTask(idOf(1, 9), base + 3)]);
    holder.close();
    await storage.close();
  },
);
