import type { Storage } from "#lib";
import { DatabaseError } from "#lib/sqlite";
import { type DatabaseValues, openSnapshot } from "../database/database.ts";
import { openPostgres } from "../database/postgres-database.ts";
import { inspectKeys, testKeyWarning, unreadWarning } from "../tenants/inspect-keys.ts";
import { type CheckResult, ok, warning } from "./check-result.ts";

/**
 * Returns a warning for each active test key and for each tenant that can't be read, or no result if the schema is
 * older: the schema check reports that.
 */
export async function checkTestKeys(
  database: DatabaseValues,
  flag: string,
  now: number,
): Promise<readonly CheckResult[]> {
  let storage: Storage | undefined;
  try {
    storage = await openReadable(database);
    const { testKeys, unread } = await inspectKeys(storage, now);
    if (testKeys.length + unread.length === 0) return [ok("test keys", "none active")];
    return [
      ...unread.map((tenant) => warning("test keys", unreadWarning(tenant, flag))),
      ...testKeys.map((key) => warning("test keys", testKeyWarning(key, flag))),
    ];
  } catch (error) {
    if (error instanceof DatabaseError) return [];
    throw error;
  } finally {
    await storage?.close();
  }
}

/** In a snapshot of PostgreSQL, which is a transaction, nothing can be read after a read that fails. */
async function openReadable({ data, database }: DatabaseValues): Promise<Storage> {
  return database === undefined ? openSnapshot({ data }) : (await openPostgres(database, {})).storage;
}
