import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** The number of a processor in the header of an ELF file. */
const elfMachines = { x64: 62, arm64: 183 } as const;

/** How a machine without that processor runs its programs: Debian's qemu-user and libstdc++6-arm64-cross. */
const emulators = { x64: [], arm64: ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"] } as const;

const needs = { x64: "can't run it", arm64: "needs qemu-user and libstdc++6-arm64-cross to run it" } as const;

/**
 * Runs what a release contains, as far as this machine can. Returns one line per file.
 * @throws if a file doesn't work
 */
export function checkRelease(folder: string, version: string): readonly string[] {
  const project = mkdtempSync(join(tmpdir(), "crm-release-"));
  try {
    output("sha256sum", ["--check", "--quiet", "SHA256SUMS"], folder);
    return [
      checkPackage(resolve(folder, `crm-integrations-${version}.tgz`), version, project),
      ...(["x64", "arm64"] as const).map((arch) =>
        checkBinary(resolve(folder, `crm-integrations-linux-${arch}`), arch, version),
      ),
      checkSbom(folder),
      checkImage(folder),
    ];
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

function checkPackage(file: string, version: string, project: string): string {
  output("npm", ["install", "--prefix", project, "--no-audit", "--no-fund", file], project);
  const program = join(project, "node_modules/.bin/crm-integrations");
  assertVersion(output(program, ["version", "--json"], project), version);
  return "package: installs in an empty project and runs";
}

function checkBinary(file: string, arch: keyof typeof elfMachines, version: string): string {
  const machine = readFileSync(file).readUInt16LE(18);
  if (machine !== elfMachines[arch]) throw new Error(`${file} is for the ELF machine ${machine}.`);
  const [emulator, ...options] = process.arch === arch ? [] : emulators[arch];
  if (process.arch !== arch && (emulator === undefined || !canEmulate(emulator, options.at(-1))))
    return `linux-${arch}: NOT RUN. It is an ELF file for ${arch}, and this machine ${needs[arch]}`;
  const [program = file, ...before] = emulator === undefined ? [file] : [emulator, ...options, file];
  assertVersion(output(program, [...before, "version", "--json"]), version);
  return `linux-${arch}: runs`;
}

/** Returns whether the emulator and the C++ library in its folder are here. */
function canEmulate(emulator: string, folder = "/"): boolean {
  return spawnSync(emulator, ["--version"]).status === 0 && existsSync(join(folder, "lib/libstdc++.so.6"));
}

/** The SBOM and the notices come from one list, so both must name the same software. */
function checkSbom(folder: string): string {
  const { components } = JSON.parse(readFileSync(join(folder, "crm-integrations.sbom.json"), "utf8"));
  const notices = readFileSync(join(folder, "crm-integrations.licenses.txt"), "utf8");
  const missing = components.filter(
    ({ name, version }: Record<string, string>) => !notices.includes(`\n${name} ${version}\n`),
  );
  if (components.length === 0 || missing.length > 0) throw new Error(`The notices lack ${JSON.stringify(missing)}.`);
  return `SBOM and notices: ${components.length} components`;
}

function checkImage(folder: string): string {
  if (spawnSync("docker", ["info"], { stdio: "ignore" }).status !== 0) return "container: NOT BUILT. No Docker here";
  const image = output("docker", ["build", "--quiet", folder]).trim();
  output("docker", ["run", "--rm", image, "version"]);
  return "container: builds and runs";
}

function assertVersion(json: string, version: string): void {
  const found = JSON.parse(json).version;
  if (found !== version) throw new Error(`The program says that its version is ${found}, not ${version}.`);
}

function output(command: string, args: readonly string[], cwd = "."): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}
