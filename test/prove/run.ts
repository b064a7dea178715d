import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { usesServedStorage } from "../support/imports.ts";
import { quickSettings, startPostgres } from "../support/postgres-server.ts";
import { publish, type Row } from "./figures.ts";

/**
 * `npm run prove [-- [--postgres] NAME …]` runs the guarantee tests at full size, one after the other, and writes their
 * figures to docs/project/guarantees-figures.md. Other rows stay. `--postgres` runs those that can use PostgreSQL.
 */

const names = process.argv.slice(2).filter((word) => word !== "--postgres");
const onPostgres = process.argv.includes("--postgres");
const files = globSync("test/prove/**/*.test.ts")
  .sort()
  .filter((file) => !onPostgres || usesServedStorage(file));
const chosen = files.filter((file) => names.length === 0 || names.includes(basename(file, ".test.ts")));
if (chosen.length === 0) {
  process.stderr.write(`Unknown test. Known tests: ${files.map((file) => basename(file, ".test.ts"))}\n`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "crm-prove-"));
const figuresFile = join(folder, "figures.jsonl");
const postgres = onPostgres ? await startPostgres(quickSettings) : undefined;
const storageEnv = postgres === undefined ? {} : { TEST_STORAGE: "postgres", TEST_POSTGRES: postgres.url };
const env = { ...process.env, ...storageEnv, PROVE: "full", PROVE_FIGURES: figuresFile };
const flags = ["--import", "tsx", "--test", "--test-concurrency=1", ...chosen];
const child = spawn(process.execPath, flags, { stdio: "inherit", env });
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => child.kill(signal));
const [code] = await once(child, "exit");
await postgres?.stop();
const lines = existsSync(figuresFile) ? readFileSync(figuresFile, "utf8").trim().split("\n") : [];
rmSync(folder, { recursive: true });
if (code === 0) publish(lines.map((line) => JSON.parse(line) as Row));
process.exit(code ?? 1);
