import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { createApi } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import type { Ask } from "../load.ts";

/**
 * `create-loop.ts FILE COPY ASKS`: has an API on FILE make what these ask for, first one by one, then sixteen at a time, and
 * writes down its SQL, which it then runs on COPY through bare better-sqlite3. Says, as JSON, how many creates a second
 * that makes, and what of a create is the COMMIT, in microseconds.
 */
const [, , file = "", copy = "", asksFile = ""] = process.argv;

/** A prepared statement with its parameters, or plain SQL. */
type Ran = { readonly sql: string; readonly values?: readonly unknown[]; readonly isRead?: boolean };
let written: Ran[] = [];

const { prepare, exec } = Database.prototype;
Database.prototype.prepare = function (this: Database.Database, sql: string) {
  const statement = prepare.call(this, sql);
  const noted = Object.fromEntries(
    (["run", "get", "all"] as const).map((name) => {
      const own = statement[name] as (...values: unknown[]) => unknown;
      return [
        name,
        (...values: unknown[]) => {
          written.push({ sql, values, isRead: name !== "run" });
          return own.apply(statement, values);
        },
      ];
    }),
  );
  return Object.assign(statement, noted);
} as typeof prepare;
Database.prototype.exec = function (this: Database.Database, sql: string) {
  written.push({ sql });
  return exec.call(this, sql);
};

const unlimited = { accepted: true, limit: 99_999, remaining: 99_999, resetMs: 0, retryMs: 0 } as const;
const api = createApi({
  storage: sqliteStorage({ file, commitWorker: false }),
  rateLimiter: { take: async () => unlimited },
});

async function make({ path, method = "POST", headers = {}, body = "" }: Ask): Promise<void> {
  const json = { ...headers, "content-type": "application/json" };
  const { status } = await api.fetch(new Request(`http://127.0.0.1${path}`, { method, headers: json, body }));
  if (status !== 201) throw new Error(`${path} returned ${status}`);
}

/** Records the statements of these creates, several at a time. */
async function sqlOf(asks: readonly Ask[], atOnce: number): Promise<Ran[]> {
  written = [];
  for (let at = 0; at < asks.length; at += atOnce) await Promise.all(asks.slice(at, at + atOnce).map(make));
  return written;
}

const asks = JSON.parse(readFileSync(asksFile, "utf8")) as readonly Ask[];
const third = Math.floor(asks.length / 3 / 16) * 16;
await sqlOf(asks.slice(0, third), 1);
const lists = [await sqlOf(asks.slice(third, 2 * third), 1), await sqlOf(asks.slice(2 * third, 3 * third), 16)];
await api.close();
Object.assign(Database.prototype, { prepare, exec });

const database = new Database(copy);
for (const setting of ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "wal_autocheckpoint = 4000"]) {
  database.pragma(setting);
}
const statements = new Map<string, Database.Statement>();

function run({ sql, values, isRead }: Ran): void {
  if (values === undefined) return void database.exec(sql);
  let statement = statements.get(sql);
  if (statement === undefined) {
    statement = database.prepare(sql);
    if (isRead) statement.raw();
    statements.set(sql, statement);
  }
  if (isRead) statement.all(...values);
  else statement.run(...values);
}

const [one, sixteen] = lists.map((list) => {
  const begun = performance.now();
  let inCommit = 0;
  for (const each of list) {
    const before = performance.now();
    run(each);
    if (each.sql === "COMMIT") inCommit += performance.now() - before;
  }
  const taken = performance.now() - begun;
  return { perSecond: (third / taken) * 1000, commitMicroseconds: (inCommit / third) * 1000 };
});
database.close();
process.stdout.write(`${JSON.stringify({ one, sixteen })}\n`);
