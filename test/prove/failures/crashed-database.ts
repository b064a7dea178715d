import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { systemClock } from "../../../lib/index.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { sequentialIds } from "../../support/harness.ts";
import { size } from "../size.ts";
import { tenantWithKeys } from "./many-keys.ts";

/** The suffixes of the files of a database. */
export const parts = ["", "-wal", "-shm"];

/**
 * Creates two files with the same content: one that was closed, and one as a crash leaves it, with half of its content
 * in the WAL.
 */
export async function filled(folder: string): Promise<{ atRest: string; crashed: string }> {
  const [made, atRest, crashed] = ["made", "at-rest", "crashed"].map((name) => join(folder, name, "crm.db"));
  assert.ok(made !== undefined && atRest !== undefined && crashed !== undefined);
  const manyKeys = tenantWithKeys(1);
  const names = Array.from({ length: size(300, 1_000) }, (_, index) => ({ name: `Account ${index}` }));
  const grants = names.map(() => ({ userId: manyKeys.tenant.member }));
  const content = {
    ...(manyKeys.file as Record<string, unknown>),
    accounts: [...accountsOf(manyKeys.file), ...names],
    grants,
  };
  const storage = sqliteStorage({ file: made });
  const other = new Database(made);
  other.pragma("wal_checkpoint(TRUNCATE)");
  await loadTenantFile(storage, content, { clock: systemClock, newId: sequentialIds() });
  copyDatabase(made, crashed);
  other.close();
  await storage.close();
  copyDatabase(made, atRest);
  return { atRest, crashed };
}

function accountsOf(file: unknown): readonly unknown[] {
  return (file as { accounts: readonly unknown[] }).accounts;
}

/** Replaces a database, with its WAL. */
export function copyDatabase(from: string, to: string): void {
  fs.mkdirSync(join(to, ".."), { recursive: true });
  for (const part of parts) {
    fs.rmSync(to + part, { force: true });
    if (fs.existsSync(from + part)) fs.copyFileSync(from + part, to + part);
  }
}

/** Returns the SHA-256 of everything in the database except its secrets, in hex. */
export function digestOf(database: Database.Database): string {
  const hash = createHash("sha256").update(String(database.pragma("user_version", { simple: true })));
  const schema = database.prepare<[], { name: string; sql: string; type: string }>("SELECT * FROM sqlite_schema").all();
  for (const { type, name, sql } of schema.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    hash.update(`${type} ${name} ${sql}`);
    if (type !== "table" || name === "settings") continue;
    for (const row of database.prepare(`SELECT * FROM "${name}"`).raw().all()) hash.update(JSON.stringify(row));
  }
  return hash.digest("hex");
}

/** Returns the `digestOf` of a database file. */
export function digestIn(file: string): string {
  // SQLite rolls back an interrupted transaction without WAL only on a writable connection.
  const database = new Database(file, { readonly: !fs.existsSync(`${file}-journal`) });
  const digest = digestOf(database);
  database.close();
  return digest;
}

/** A system call of a program. `nth` counts the calls of the same name. */
export type SystemCall = { readonly call: string; readonly nth: number };

/** Returns every system call in a trace. */
export function systemCallsIn(trace: string): SystemCall[] {
  const seen = new Map<string, number>();
  const names = fs.readFileSync(trace, "utf8").matchAll(/^\d+ +(\w+)\(/gm);
  return [...names].map(([, call = ""]) => {
    const nth = (seen.get(call) ?? 0) + 1;
    seen.set(call, nth);
    return { call, nth };
  });
}

/** Returns the first, the last and some random calls. */
export function sample(calls: readonly SystemCall[], some: number, random: () => number): SystemCall[] {
  const between = Array.from({ length: some }, () => Math.floor(random() * calls.length));
  return [0, calls.length - 1, ...between].flatMap((index) => calls[index] ?? []);
}
