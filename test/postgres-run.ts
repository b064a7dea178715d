import { globSync } from "node:fs";
import { importsOf, reaches, usesServedStorage } from "./support/imports.ts";
import { noPostgres, quickSettings, startPostgres } from "./support/postgres-server.ts";
import { isIn, runIsolated, runShared } from "./support/test-processes.ts";

/**
 * `npm run test:postgres [-- FILE …]` runs test files with records in PostgreSQL: those that open a storage through
 * storages.ts, and the guarantee tests whose servers can use PostgreSQL. It prints the files that it leaves out.
 */

/** Tests of HTTP, static files, tokens and limits in memory. The storage behind them doesn't matter. */
const independent = [
  ...["api/http", "api/admin/admin-jwks.test.ts", "api/admin/admin-jwks-keys.test.ts"],
  ...["api/console/console-files.test.ts", "api/console/console-mounts.test.ts", "unit/rate-limit.test.ts"],
];

const named = process.argv.slice(2);
const all = globSync("test/{unit,api,storage,cli,docs}/**/*.test.ts").sort();
const harnesses = globSync("test/prove/**/*.test.ts").filter(usesServedStorage);
const chosen = all.filter(
  (file) => reaches(file, "test/support/storages.ts") && !opensSqlite(file) && !isIn(file, independent),
);
const files = named.length > 0 ? named : [...chosen, ...harnesses.sort()];

if (noPostgres) {
  process.stdout.write(`skipped: ${noPostgres}\n`);
  process.exit(0);
}
const leftOut = all.filter((file) => !files.includes(file));
if (named.length === 0) {
  const [own, none] = [leftOut.filter(opensSqlite), leftOut.filter((file) => !opensSqlite(file))];
  process.stdout.write(`left out, because they open SQLite or PostgreSQL themselves:\n  ${own.join("\n  ")}\n`);
  process.stdout.write(
    `left out, because they have no storage to choose, or it doesn't matter:\n  ${none.join("\n  ")}\n`,
  );
}
const server = await startPostgres(quickSettings);
const env = { ...process.env, TEST_STORAGE: "postgres", TEST_POSTGRES: server.url };
const { shared = [], isolated = [] } = Object.groupBy(files, (file) =>
  isIn(file, ["unit", "api"]) ? "shared" : "isolated",
);
const havePassed = [await runShared(shared, env), await runIsolated(isolated, env)];
await server.stop();
process.exitCode = havePassed.every(Boolean) ? 0 : 1;

function opensSqlite(file: string): boolean {
  return importsOf(file).some((each) =>
    /^lib\/storage\/(?:sqlite|postgres)\/|^test\/support\/postgres-databases\.ts$/.test(each),
  );
}
