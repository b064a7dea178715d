import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { publish, type Row } from "./guarantees.ts";

/**
 * `npm run prove [-- HARNESS …]`: every harness at its full size, one after the other, and its figures into
 * docs/guarantees.md. A harness that is not run keeps its row.
 */

const asked = process.argv.slice(2);
const files = globSync("test/prove/*.test.ts").sort();
const chosen = files.filter((file) => asked.length === 0 || asked.includes(basename(file, ".test.ts")));
if (chosen.length === 0) {
  process.stderr.write(`There is no such harness. There are: ${files.map((file) => basename(file, ".test.ts"))}\n`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "crm-prove-"));
const kept = join(folder, "figures.jsonl");
const environment = { ...process.env, PROVE: "full", PROVE_FIGURES: kept };
const flags = ["--import", "tsx", "--test", "--test-concurrency=1", ...chosen];
const { status } = spawnSync(process.execPath, flags, { stdio: "inherit", env: environment });
const lines = existsSync(kept) ? readFileSync(kept, "utf8").trim().split("\n") : [];
rmSync(folder, { recursive: true });
if (status === 0) publish(lines.map((line) => JSON.parse(line) as Row));
process.exit(status ?? 1);
