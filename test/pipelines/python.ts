import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const check = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";

/** Why the tests can't run, or false. */
export const skip =
  spawnSync("python3", ["-c", check]).status !== 0 && "Python 3.10 or later with venv isn't installed";

/** Installs packages into a virtual environment, unless an earlier run has. Returns its folder of programs. */
export function installed(...packages: readonly string[]): string {
  const folder = resolve("node_modules/.cache/pipelines", packages.join(" ").replace(/[^\w.=-]+/g, "-"));
  const [bin, marker] = [join(folder, "bin"), join(folder, "installed")];
  if (!existsSync(marker)) {
    execFileSync("python3", ["-m", "venv", "--clear", folder]);
    execFileSync(join(bin, "python"), ["-m", "pip", "install", "--quiet", ...packages], { stdio: "inherit" });
    writeFileSync(marker, "");
  }
  return bin;
}
