import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

/**
 * Makes dist/crm-integrations-<platform>-<arch>: one file with Node, the program, the schema, the tenant files that
 * come along and SQLite in it. It needs nothing from outside: the Node is the one that runs this.
 */

const target = `${process.platform}-${process.arch}`;
const output = resolve("dist", `crm-integrations-${target}`);
const require = createRequire(import.meta.url);
const packageVersion: string = JSON.parse(readFileSync("package.json", "utf8")).version;
const addon = join(dirname(require.resolve("better-sqlite3/package.json")), "prebuilds", `${target}.node`);

/** Modules that read files beside them, and what stands in their place inside the binary. */
const replacements: readonly (readonly [RegExp, () => string])[] = [
  [/[\\/]lib[\\/]sqlite[\\/]schema\.ts$/, () => `export const schemaSql = ${textOf("schema.sql")};`],
  [/[\\/]lib[\\/]testing[\\/]shipped\.ts$/, shippedModule],
  [/[\\/]lib[\\/]postgres[\\/]schema\.ts$/, () => `export const schemaSql = ${textOf("lib/postgres/schema.sql")};`],
  [/[\\/]bin[\\/]version\.ts$/, () => `export const version = ${JSON.stringify(packageVersion)};`],
  [/[\\/]lib[\\/]openapi[\\/]assets\.ts$/, () => assetsModule],
  [/[\\/]better-sqlite3[\\/]lib[\\/]binding\.js$/, () => bindingModule],
];

/** What the description and its page need, by name; they are read from the binary when somebody asks for them. */
const swaggerUi = dirname(require.resolve("swagger-ui-dist/package.json"));
const pageAssets = {
  "openapi.json": resolve("docs/openapi.json"),
  "swagger-ui.css": join(swaggerUi, "swagger-ui.css"),
  "swagger-ui-bundle.js": join(swaggerUi, "swagger-ui-bundle.js"),
};
const assetsModule = `
  import { getRawAsset } from "node:sea";
  export const readAsset = (name) => new Uint8Array(getRawAsset(name));`;

/** In a single executable, `require` loads built-ins only: the addon is written to a private folder and opened there. */
const bindingModule = `
  const { mkdtempSync, rmSync, writeFileSync } = require("node:fs");
  const { tmpdir } = require("node:os");
  const { join } = require("node:path");
  const { getRawAsset } = require("node:sea");
  let binding;
  exports.getBinding = () => {
    if (binding !== undefined) return binding;
    const folder = mkdtempSync(join(tmpdir(), "crm-integrations-"));
    const file = join(folder, "better_sqlite3.node");
    const loaded = { exports: {} };
    try {
      writeFileSync(file, new Uint8Array(getRawAsset("better_sqlite3.node")), { mode: 0o500 });
      process.dlopen(loaded, file);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    binding = loaded.exports;
    return binding;
  };`;

function shippedModule(): string {
  const files = globSync("fixtures/*.json").filter((file) => !file.endsWith(".schema.json"));
  const entries = files.map((file) => `${JSON.stringify(basename(file, ".json"))}: ${textOf(file)}`);
  return `const files = { ${entries.join(", ")} };
    export const shippedTenantFile = (name) => Object.hasOwn(files, name) ? Buffer.from(files[name]) : undefined;`;
}

function textOf(file: string): string {
  return JSON.stringify(readFileSync(file, "utf8"));
}

const inlining: Plugin = {
  name: "inlining",
  setup({ onLoad }) {
    for (const [filter, contents] of replacements) onLoad({ filter }, () => ({ contents: contents(), loader: "js" }));
  },
};

const folder = mkdtempSync(join(tmpdir(), "crm-build-"));
try {
  mkdirSync("dist", { recursive: true });
  const main = join(folder, "main.cjs");
  const options = { bundle: true, platform: "node", format: "cjs", target: "node24", minify: true } as const;
  await build({ ...options, entryPoints: ["bin/crm-integrations.ts"], outfile: main, plugins: [inlining] });
  const node = join(folder, "node");
  copyFileSync(process.execPath, node);
  chmodSync(node, 0o755);
  strip(node);
  await inject(main, node);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${output}: ${(statSync(output).size / 1024 / 1024).toFixed(1)} MiB\n`);

/** Smaller by what a debugger would need. Only before the injection: after it, strip would take the program out. */
function strip(file: string): void {
  try {
    execFileSync("strip", [file], { stdio: "ignore" });
  } catch {
    process.stderr.write("strip is not here: the binary keeps its symbols.\n");
  }
}

async function inject(main: string, nodePath: string): Promise<void> {
  // The package's door starts a program of its own; this is the part of it that works without a network.
  const { default: sea } = require("@yao-pkg/pkg/lib-es5/sea") as {
    default: (entry: string, options: unknown) => Promise<void>;
  };
  const nodeRange = `node${process.versions.node.split(".")[0]}`;
  const place = { platform: process.platform, arch: process.arch, nodeRange, output };
  const assets = { "better_sqlite3.node": addon, ...pageAssets };
  await sea(main, {
    nodePath,
    targets: [place],
    seaConfig: { assets, disableExperimentalSEAWarning: true, useCodeCache: true },
  });
}
