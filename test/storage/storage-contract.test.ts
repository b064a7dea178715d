import assert from "node:assert/strict";
import { test } from "node:test";
import type { Storage } from "../../lib/index.ts";
import { wrapStorage } from "../../lib/index.ts";
import { describeStorage, type Runner, type StorageUnderTest } from "../../lib/storage/contract/index.ts";
import { memoryStorage } from "../../lib/storage/memory.ts";
import { faults } from "../support/storage-faults.ts";

type Declared = { readonly name: string; readonly skipped: boolean; readonly body: () => Promise<void> };

/** Returns the tests that the suite declares for this storage. */
function declaredFor(subject: StorageUnderTest): Declared[] {
  const declared: Declared[] = [];
  const declare = (skipped: boolean) => (name: string, body: () => Promise<void>) => {
    declared.push({ name, skipped, body });
  };
  const it: Runner["it"] = Object.assign(declare(false), { skip: declare(true) });
  describeStorage("A storage", subject, { describe: (_, body) => body(), it });
  return declared;
}

/** Returns the names of the tests that fail for this storage, or of the first ones. */
async function failuresOf(subject: StorageUnderTest, limit = Number.POSITIVE_INFINITY): Promise<string[]> {
  const failures: string[] = [];
  for (const { name, skipped, body } of declaredFor(subject)) {
    if (failures.length === limit) break;
    if (!skipped) await body().catch(() => failures.push(name));
  }
  return failures;
}

test("a correct storage passes the suite in any test runner", async () => {
  const subject = { open: async () => memoryStorage() };
  assert.deepEqual(await failuresOf(subject), []);
  const declared = declaredFor(subject);
  assert.deepEqual(
    declared.filter(({ body }) => body.length > 0),
    [],
  );
  assert.equal(declared.filter(({ skipped }) => skipped).length, 6);
});

for (const [what, fault] of Object.entries(faults)) {
  test(`the suite fails for ${what}`, async (t) => {
    const open = async (): Promise<Storage> => {
      const good = memoryStorage();
      return wrapStorage(good, fault(good));
    };
    const [first] = await failuresOf({ open }, 1);
    assert.notEqual(first, undefined);
    t.diagnostic(`The first test that fails: ${first}`);
  });
}

test("the suite fails for a storage that loses its data or a tenant's clock on close", async () => {
  const reopen = async (storage: Storage): Promise<Storage> => {
    await storage.close();
    return memoryStorage();
  };
  const failures = await failuresOf({ open: async () => memoryStorage(), reopen });
  assert.equal(failures.length, 6, failures.join("\n"));
});
