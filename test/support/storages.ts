import type { Storage } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";

/** Where the tests keep their records: `sqlite` in memory, or `postgres`, which `npm run test:postgres` says. */
export const testedStorage = process.env.CRM_TEST_STORAGE ?? "sqlite";

// Most runs need no PostgreSQL, and what opens it also ends it after the tests of its file.
const postgres = testedStorage === "postgres" ? await import("./postgres-place.ts") : undefined;

/** A storage with nothing in it, of the sort that this run is about. */
export async function freshStorage(): Promise<Storage> {
  if (postgres === undefined) return sqliteStorage({ file: ":memory:" });
  return postgres.storageAt(await postgres.freshAddress());
}
