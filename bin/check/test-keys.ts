import type { Storage } from "#lib";
import { DatabaseError } from "#lib/sqlite";
import { type DatabaseValues, openSnapshot } from "../database/database.ts";
import { inspectKeys, testKeyWarning } from "../tenants/inspect-keys.ts";
import { type CheckResult, ok, warning } from "./check-result.ts";

/** Returns a warning for each active test key, or no result if the schema is older: the schema check reports that. */
export async function checkTestKeys(
  database: DatabaseValues,
  flag: string,
  now: number,
): Promise<readonly CheckResult[]> {
  let storage: Storage | undefined;
  try {
    storage = await openSnapshot(database);
    const { testKeys } = await inspectKeys(storage, now);
    if (testKeys.length === 0) return [ok("test keys", "none active")];
    return testKeys.map((key) => warning("test keys", testKeyWarning(key, flag)));
  } catch (error) {
    if (error instanceof DatabaseError) return [];
    throw error;
  } finally {
    await storage?.close();
  }
}
