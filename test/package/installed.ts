import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../support/serve-demo.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/**
 * Packs the package and installs it in an empty project, for `npm run test:package`. Run `npm run build` first.
 * Frameworks and types come from this checkout.
 */

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const project = temporaryFolder();
export const modules = join(project, "node_modules");
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  exports: Readonly<Record<string, { default: string } | string>>;
};
export const entryPoints = Object.keys(exports).filter((entryPoint) => typeof exports[entryPoint] !== "string");
export const names = entryPoints.map((entryPoint) => `crm-integrations${entryPoint.slice(1)}`);
export const files = Object.keys(exports).filter((entryPoint) => typeof exports[entryPoint] === "string");

export function npm(cwd: string, ...args: string[]): string {
  return execFileSync("npm", [...args, "--ignore-scripts"], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

export const [packed] = JSON.parse(npm(root, "pack", "--json", "--pack-destination", project)) as {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}[];
export const tarball = join(project, packed?.filename ?? "");
writeFileSync(join(project, "package.json"), '{ "type": "module" }');
npm(project, "install", "--prefer-offline", "--no-audit", "--no-fund", tarball);
const dependencies = [
  "@types/node",
  "@types/express",
  "@types/pg",
  "express",
  "fastify",
  "pg",
  "@modelcontextprotocol/server",
  "hono",
  "@hono/node-server",
];
for (const name of dependencies) {
  mkdirSync(dirname(join(modules, name)), { recursive: true });
  if (!existsSync(join(modules, name))) symlinkSync(join(root, "node_modules", name), join(modules, name));
}
for (const file of ["examples", "fixtures"]) cpSync(join(root, file), join(project, file), { recursive: true });

/** Runs Node in the project, on TypeScript without a build. */
export function node(...args: string[]) {
  return run(
    process.execPath,
    args.map((arg) => (/\.c?ts$/.test(arg) ? join(project, arg) : arg)),
  );
}
