import { globSync } from "node:fs";
import { importsOf, reaches, usesServedStorage } from "./support/imports.ts";
import { noPostgres, quickSettings, startPostgres } from "./support/postgres-server.ts";
import { runIsolated } from "./support/test-processes.ts";

/**
 * `npm run test:postgres`: every test file that opens its records through storages.ts, and every harness that has a
 * place to choose, this time on PostgreSQL. What is about SQLite's file, or about no storage, is left out and named. Words after the command are files to run in place of all.
 */

const asked = process.argv.slice(2);
const all = globSync("test/{unit,api,storage,cli,docs}/**/*.test.ts").sort();
const harnesses = globSync("test/prove/**/*.test.ts").filter(usesServedStorage);
const chosen = all.filter((file) => reaches(file, "test/support/storages.ts") && !opensSqlite(file));
const files = asked.length > 0 ? asked : [...chosen, ...harnesses.sort()];

if (noPostgres) {
  process.stdout.write(`skipped: ${noPostgres}\n`);
  process.exit(0);
}
const leftOut = all.filter((file) => !files.includes(file));
if (asked.length === 0) {
  const [own, none] = [leftOut.filter(opensSqlite), leftOut.filter((file) => !opensSqlite(file))];
  process.stdout.write(`left out, since they open SQLite or PostgreSQL themselves:\n  ${own.join("\n  ")}\n`);
  process.stdout.write(`left out, since no storage of theirs is to be chosen:\n  ${none.join("\n  ")}\n`);
}
const server = await startPostgres(quickSettings);
const env = { ...process.env, CRM_TEST_STORAGE: "postgres", CRM_TEST_POSTGRES: server.url };
const hasPassed = await runIsolated(files, env);
await server.stop();
process.exitCode = hasPassed ? 0 : 1;

function opensSqlite(file: string): boolean {
  return importsOf(file).some((each) =>
    /^lib\/storage\/(?:sqlite|postgres)\/|^test\/support\/postgres-databases\.ts$/.test(each),
  );
}
