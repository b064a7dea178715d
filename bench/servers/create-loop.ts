import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { createApi } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import type { LoadRequest } from "../load.ts";

/**
 * `create-loop.ts FILE COPY REQUESTS` sends the creates in REQUESTS to an API on FILE, first one by one, then 16 at a
 * time, and records its SQL. It then runs this SQL on COPY with better-sqlite3 alone. Prints the creates per second,
 * and the microseconds per create in COMMIT, as JSON.
 */
const [, , file = "", copy = "", requestsFile = ""] = process.argv;

/** A prepared statement with its parameters, or plain SQL. */
type Executed = { readonly sql: string; readonly values?: readonly unknown[]; readonly isRead?: boolean };
let executed: Executed[] = [];

const { prepare, exec } = Database.prototype;
Database.prototype.prepare = function (this: Database.Database, sql: string) {
  const statement = prepare.call(this, sql);
  const recorded = Object.fromEntries(
    (["run", "get", "all"] as const).map((name) => {
      const original = statement[name] as (...values: unknown[]) => unknown;
      return [
        name,
        (...values: unknown[]) => {
          executed.push({ sql, values, isRead: name !== "run" });
          return original.apply(statement, values);
        },
      ];
    }),
  );
  return Object.assign(statement, recorded);
} as typeof prepare;
Database.prototype.exec = function (this: Database.Database, sql: string) {
  executed.push({ sql });
  return exec.call(this, sql);
};

const unlimited = { accepted: true, limit: 99_999, remaining: 99_999, resetMs: 0, retryMs: 0 } as const;
const api = createApi({
  storage: sqliteStorage({ file, commitWorker: false }),
  rateLimiter: { take: async () => unlimited },
});

async function send({ path, method = "POST", headers = {}, body = "" }: LoadRequest): Promise<void> {
  const json = { ...headers, "content-type": "application/json" };
  const { status } = await api.fetch(new Request(`http://127.0.0.1${path}`, { method, headers: json, body }));
  if (status !== 201) throw new Error(`${path} returned ${status}`);
}

/** Sends these creates, several at a time, and returns their SQL. */
async function recordSql(requests: readonly LoadRequest[], atOnce: number): Promise<Executed[]> {
  executed = [];
  for (let at = 0; at < requests.length; at += atOnce) await Promise.all(requests.slice(at, at + atOnce).map(send));
  return executed;
}

const requests = JSON.parse(readFileSync(requestsFile, "utf8")) as readonly LoadRequest[];
const third = Math.floor(requests.length / 3 / 16) * 16;
await recordSql(requests.slice(0, third), 1);
const lists = [
  await recordSql(requests.slice(third, 2 * third), 1),
  await recordSql(requests.slice(2 * third, 3 * third), 16),
];
await api.close();
Object.assign(Database.prototype, { prepare, exec });

const database = new Database(copy);
for (const setting of ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "wal_autocheckpoint = 4000"]) {
  database.pragma(setting);
}
const statements = new Map<string, Database.Statement>();

function run({ sql, values, isRead }: Executed): void {
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
  const startedAt = performance.now();
  let inCommit = 0;
  for (const each of list) {
    const before = performance.now();
    run(each);
    if (each.sql === "COMMIT") inCommit += performance.now() - before;
  }
  const durationMs = performance.now() - startedAt;
  return { perSecond: (third / durationMs) * 1000, commitMicroseconds: (inCommit / third) * 1000 };
});
database.close();
process.stdout.write(`${JSON.stringify({ one, sixteen })}\n`);
