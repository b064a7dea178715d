import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { RateLimitResult } from "../../../lib/index.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { one, openCrm } from "../../support/crm.ts";
import type { Result, Sent } from "../../support/harness.ts";
import type { Edits } from "../../support/tenant-file-edit.ts";
import { hook } from "../../support/webhooks.ts";
import { watch } from "../database-state.ts";
import { assertContract } from "../response-contract.ts";

const rate: RateLimitResult = { accepted: true, limit: 300, remaining: 299, resetMs: 60_000, retryMs: 0 };

/** A folder in memory, because durability isn't tested here. */
const inMemory = "/dev/shm";

/**
 * An API over a file that is checked from outside: a rejected request must store nothing, and each response is checked.
 */
export async function watchedCrm(edits: Edits = {}) {
  const folder = mkdtempSync(join(existsSync(inMemory) ? inMemory : tmpdir(), "crm-watched-"));
  const file = join(folder, "crm.db");
  const crm = await openCrm(edits, {
    storage: sqliteStorage({ file }),
    rateLimiter: { take: async () => rate },
    webhooks: { fetch: async () => ({ status: 204 }) },
  });
  // Tenant files have no webhooks.
  const webhook = await crm.create("/webhooks", { url: hook });
  const database = watch(file);
  after(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });
  /** Sends a request a second after the previous one, by default with the key of tenant one. */
  const attempt = async (method: string, path: string, sent: Sent = {}): Promise<Result> => {
    await crm.api.idle();
    crm.clock.advance(1_000);
    const before = database.digest();
    const result = await crm.send(method, path, { key: one.key, ...sent });
    assertContract(result);
    if (result.status >= 400 || method === "GET") assert.equal(database.digest(), before, `stored: ${result.text}`);
    return result;
  };
  return { ...crm, database, webhook, attempt };
}
