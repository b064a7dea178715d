import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { addonName } from "./addon.ts";
import { form, inlining } from "./build-inlining.ts";
import { nodeOf, type Target, targetOf, targets, thisTarget } from "./build-targets.ts";
import { nodeOptions } from "./node-options.ts";

/**
 * Makes dist/crm-integrations-<target>: one file with Node, the program, the schema, the tenant files that come along
 * and SQLite in it. For this machine it needs nothing from outside; for another, named as an argument, it fetches the
 * same version of Node as npm has it.
 */

const require = createRequire(import.meta.url);
const postject = require.resolve("postject/dist/cli.js");
const swaggerUi = dirname(require.resolve("swagger-ui-dist/package.json"));

/** By this mark Node finds out that it is to run what was put into it. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** What is read from the binary when somebody asks for it, by name. */
function assetsOf(target: Target): Readonly<Record<string, string>> {
  const addons = join(dirname(require.resolve("better-sqlite3/package.json")), "prebuilds");
  return {
    [addonName]: join(addons, `${target.addon}.node`),
    "openapi.json": resolve("docs/openapi.json"),
    "swagger-ui.css": join(swaggerUi, "swagger-ui.css"),
    "swagger-ui-bundle.js": join(swaggerUi, "swagger-ui-bundle.js"),
  };
}

async function main(): Promise<void> {
  const asked = process.argv.slice(2);
  const wanted = asked.length === 0 ? [thisTarget] : asked.includes("all") ? targets : asked.map(targetOf);
  const folder = mkdtempSync(join(tmpdir(), "crm-build-"));
  try {
    mkdirSync("dist", { recursive: true });
    const script = join(folder, "main.cjs");
    await build({ ...form, entryPoints: ["bin/crm-integrations.ts"], outfile: script, plugins: [inlining] });
    for (const target of wanted) await make(target, script, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function make(target: Target, script: string, folder: string): Promise<void> {
  const output = resolve("dist", `crm-integrations-${target.name}${target.suffix}`);
  const node = join(folder, target.name);
  copyFileSync(nodeOf(target), node);
  chmodSync(node, 0o755);
  strip(node, target);
  // It warns of names of sections that only a debugger reads; where it fails, that is shown.
  const injection = [postject, node, "NODE_SEA_BLOB", blobOf(target, script, folder), "--sentinel-fuse", fuse];
  execFileSync(process.execPath, injection, { stdio: "pipe" });
  // Renamed, not written over: one that runs stays what it is.
  const draft = `${output}.new`;
  copyFileSync(node, draft);
  chmodSync(draft, 0o755);
  rmSync(output, { force: true });
  execFileSync("mv", [draft, output]);
  process.stdout.write(`${output}: ${(statSync(output).size / 1024 / 1024).toFixed(1)} MiB\n`);
}

/** What Node finds in itself: the script, the assets, and that nothing in the environment is to change how it runs. */
function blobOf(target: Target, main: string, folder: string): string {
  const output = join(folder, `${target.name}.blob`);
  const configuration = {
    main,
    output,
    assets: assetsOf(target),
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    // It fits the processor that made it only.
    useCodeCache: target === thisTarget,
    // By that signal Node opens a debugger to everybody on the machine.
    execArgv: ["--disable-sigusr1", ...nodeOptions],
    execArgvExtension: "none",
  };
  const file = join(folder, `${target.name}.json`);
  writeFileSync(file, JSON.stringify(configuration));
  execFileSync(process.execPath, ["--experimental-sea-config", file], { stdio: "pipe" });
  return output;
}

/** Smaller by what a debugger would need. Only before the injection: after it, strip would take the program out. */
function strip(file: string, { strip: command }: Target): void {
  if (command === undefined) return;
  try {
    execFileSync(command, [file], { stdio: "ignore" });
  } catch {
    process.stderr.write(`${command} is not here: the binary keeps its symbols.\n`);
  }
}

await main();
