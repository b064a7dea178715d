import { createInterface } from "node:readline";
import Database from "better-sqlite3";

/** Another program with the same database: executes each line of stdin as SQL, then prints it. */
const database = new Database(process.argv[2], { timeout: 10_000 });
process.stdout.write("ready\n");
for await (const sql of createInterface(process.stdin)) {
  database.exec(sql);
  process.stdout.write(`${sql}\n`);
}
database.close();
