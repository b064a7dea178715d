import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { withRelease } from "./changelog.ts";
import { checkRelease } from "./check-release.ts";

/**
 * Prepares a release: `npm run release -- VERSION [--dry-run]`.
 *
 * Sets the version, dates the changelog, builds the npm package, the binaries for Linux, the container file, the
 * notices, the SBOM and the checksums in dist/release, checks them, commits and tags. Then it prints the commands that
 * publish. A dry run changes nothing but dist/.
 */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { "dry-run": { type: "boolean" } } });
const version = positionals[0] ?? "";
const dryRun = values["dry-run"] === true;
const folder = "dist/release";
const targets = ["linux-x64", "linux-arm64"];
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

/** Writes everything that a release publishes to dist/release, and checks it. */
function buildFiles(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run("npm", "pack", "--silent", "--pack-destination", folder);
  run("npm", "run", "--silent", "build:binary", "--", ...targets);
  for (const target of targets) copyFileSync(`dist/crm-integrations-${target}`, `${folder}/crm-integrations-${target}`);
  for (const name of ["crm-integrations.licenses.txt", "crm-integrations.sbom.json"])
    copyFileSync(`dist/${name}`, `${folder}/${name}`);
  // The files are next to it.
  writeFileSync(`${folder}/Dockerfile`, readFileSync("Dockerfile", "utf8").replaceAll("dist/crm", "crm"));
  const files = readdirSync(folder).sort();
  const sums = files.map((file) => `${sha256(`${folder}/${file}`)}  ${file}\n`);
  writeFileSync(`${folder}/SHA256SUMS`, sums.join(""));
  print(sums.join(""));
  for (const line of checkRelease(folder, version)) print(line);
}

function publishCommands(): readonly string[] {
  return [
    "git push --follow-tags",
    `npm publish ${folder}/crm-integrations-${version}.tgz --provenance --access public`,
    `docker build --tag crm-integrations:${version} ${folder} && docker push crm-integrations:${version}`,
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
