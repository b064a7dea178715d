import type { Storage } from "#lib";
import { DatabaseError } from "#lib/sqlite";
import { type DatabaseValues, openSnapshot } from "../database/database.ts";
import { inspectKeys, testKeyWarning } from "../tenants/test-keys.ts";
import { type CheckResult, ok, warning } from "./check-result.ts";

/** Warns of each active test key. Returns no findings if the schema is older: another finding says so. */
export async function testKeyFindings(
  place: DatabaseValues,
  flag: string,
  now: number,
): Promise<readonly CheckResult[]> {
  let storage: Storage | undefined;
  try {
    storage = await openSnapshot(place);
    const { testKeys } = await inspectKeys(storage, now);
    if (testKeys.length === 0) return [ok("test keys", "none is active")];
    return testKeys.map((key) => warning("test keys", testKeyWarning(key, flag)));
  } catch (error) {
    if (error instanceof DatabaseError) return [];
    throw error;
  } finally {
    await storage?.close();
  }
}
