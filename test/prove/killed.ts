import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { systemClock } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { sequentialIds } from "../support/harness.ts";
import { crowd } from "./place-crowd.ts";
import { size } from "./size.ts";

/** A database and what SQLite puts beside it. */
export const parts = ["", "-wal", "-shm"];

/** Two files with the same content, at rest and as a crash leaves it: half of it in the log. */
export async function filled(folder: string): Promise<{ atRest: string; crashed: string }> {
  const [made, atRest, crashed] = ["made", "at-rest", "crashed"].map((name) => join(folder, name, "crm.db"));
  assert.ok(made !== undefined && atRest !== undefined && crashed !== undefined);
  const people = crowd(1);
  const names = Array.from({ length: size(300, 1_000) }, (_, index) => ({ name: `Account ${index}` }));
  const grants = names.map(() => ({ userId: people.tenant.member }));
  const content = {
    ...(people.file as Record<string, unknown>),
    accounts: [...accountsOf(people.file), ...names],
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

/** Puts a database, with its log, where another stood. */
export function copyDatabase(from: string, to: string): void {
  fs.mkdirSync(join(to, ".."), { recursive: true });
  for (const part of parts) {
    fs.rmSync(to + part, { force: true });
    if (fs.existsSync(from + part)) fs.copyFileSync(from + part, to + part);
  }
}

/** Everything in the database, but for the secret that each has of its own, as one text of 64 characters. */
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

/** The same of a file. */
export function digestIn(file: string): string {
  // What was begun without a log is undone by who may write.
  const database = new Database(file, { readonly: !fs.existsSync(`${file}-journal`) });
  const digest = digestOf(database);
  database.close();
  return digest;
}

/** One call of a program, and the how manieth of its name it is. */
export type Write = { readonly call: string; readonly nth: number };

/** Every call in a trace, with the how manieth of its name it is. */
export function writesIn(trace: string): Write[] {
  const seen = new Map<string, number>();
  const names = fs.readFileSync(trace, "utf8").matchAll(/^\d+ +(\w+)\(/gm);
  return [...names].map(([, call = ""]) => {
    const nth = (seen.get(call) ?? 0) + 1;
    seen.set(call, nth);
    return { call, nth };
  });
}

/** The first, the last, and some between. */
export function sample(writes: readonly Write[], some: number, roll: () => number): Write[] {
  const between = Array.from({ length: some }, () => Math.floor(roll() * writes.length));
  return [0, writes.length - 1, ...between].flatMap((index) => writes[index] ?? []);
}
