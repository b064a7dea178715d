import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { withRelease } from "./changelog.ts";

/**
 * Prepares a release: `npm run release -- VERSION [--dry-run]`.
 *
 * Sets the version, dates the changelog, builds the npm package and the binary of this machine with their checksums in
 * dist/release, commits and tags. Then it prints the commands that publish. A dry run changes nothing but dist/.
 */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { "dry-run": { type: "boolean" } } });
const version = positionals[0] ?? "";
const dryRun = values["dry-run"] === true;
const folder = "dist/release";
const changedFiles = ["package.json", "package-lock.json", "CHANGELOG.md"];

function main(): void {
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) fail("Usage: npm run release -- VERSION [--dry-run]");
  if (output("git", "status", "--porcelain") !== "") fail("The working tree has changes. Commit them first.");
  if (output("git", "tag", "--list", `v${version}`) !== "") fail(`The tag v${version} exists already.`);
  const changelog = withRelease(readFileSync("CHANGELOG.md", "utf8"), version, new Date());
  if (changelog === undefined) fail('CHANGELOG.md has no text under "## Unreleased".');
  try {
    run("npm", "version", version, "--no-git-tag-version", "--allow-same-version");
    writeFileSync("CHANGELOG.md", changelog);
    buildFiles();
    if (!dryRun) {
      run("git", "commit", "--quiet", "--message", `Release ${version}`, ...changedFiles);
      run("git", "tag", "--annotate", `v${version}`, "--message", `Release ${version}`);
    }
  } finally {
    if (dryRun) run("git", "checkout", "--quiet", "--", ...changedFiles);
  }
  print(dryRun ? `Dry run of ${version}. These commands would publish it:` : `Publish ${version} with these commands:`);
  for (const command of publishCommands()) print(`  ${command}`);
}

/** Writes the package, the binary and SHA256SUMS to dist/release. */
function buildFiles(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run("npm", "pack", "--silent", "--pack-destination", folder);
  run("npm", "run", "--silent", "build:binary");
  const binary = `crm-integrations-${process.platform}-${process.arch}${process.platform === "win32" ? ".exe" : ""}`;
  copyFileSync(`dist/${binary}`, `${folder}/${binary}`);
  const files = [`crm-integrations-${version}.tgz`, binary];
  for (const file of files) if (!existsSync(`${folder}/${file}`)) fail(`${folder}/${file} is missing.`);
  const sums = files.map((file) => `${sha256(`${folder}/${file}`)}  ${basename(file)}\n`);
  writeFileSync(`${folder}/SHA256SUMS`, sums.join(""));
  print(sums.join(""));
}

function publishCommands(): readonly string[] {
  return [
    "git push --follow-tags",
    `npm publish ${folder}/crm-integrations-${version}.tgz --provenance --access public`,
    `docker build --tag crm-integrations:${version} . && docker push crm-integrations:${version}`,
    `gh release create v${version} ${folder}/*`,
  ];
}

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ["ignore", "ignore", "inherit"] });
}

function output(command: string, ...args: string[]): string {
  return execFileSync(command, args, { encoding: "utf8" }).trim();
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function fail(message: string): never {
  throw new Error(message);
}

main();
