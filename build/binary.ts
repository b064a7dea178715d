import { execFileSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import pkg from "@yao-pkg/pkg/lib-es5/sea.js";
import { inject } from "postject";
import { nodeOptions } from "../bin/cli/child-process.ts";
import { packedSite } from "../site/folders.ts";
import { addonName } from "./addon.ts";
import { bundleProgram, docsAsset, fixtureFiles, noticesAsset } from "./bundle.ts";
import { binaryComponents, notices, readConsoleInputs } from "./notices.ts";
import { requirementsOf } from "./requirements.ts";
import { toSbom } from "./sbom.ts";

/**
 * Packs dist/crm-integrations-PLATFORM-ARCH: one file with Node, the program, SQLite and everything that it reads. For
 * this machine it needs no network. For another one, named as an argument, it needs the same version of Node: for Linux
 * from npm, otherwise pkg downloads it.
 */

/** Platform names of pkg. */
const platforms = { linux: "linux", darwin: "macos", win32: "win" } as const;
const targets = Object.keys(platforms).flatMap((platform) => [`${platform}-x64`, `${platform}-arm64`]);
const thisMachine = `${process.platform}-${process.arch}`;

/** Also for the container. */
const noticesFile = "dist/crm-integrations.licenses.txt";
const sbomFile = "dist/crm-integrations.sbom.json";
const prebuilds = "node_modules/better-sqlite3/prebuilds";
const swaggerUi = "node_modules/swagger-ui-dist";

async function main(): Promise<void> {
  const wanted = process.argv.length > 2 ? process.argv.slice(2) : [thisMachine];
  const unknown = wanted.find((target) => !targets.includes(target));
  if (unknown !== undefined) throw new Error(`Unknown target ${unknown}. Targets: ${targets.join(", ")}.`);
  const folder = mkdtempSync(join(tmpdir(), "crm-build-"));
  try {
    mkdirSync("dist", { recursive: true });
    const { code, packages, inputs } = await bundleProgram();
    writeFileSync(join(folder, "program.cjs"), code);
    for (const [name, script] of packages) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), script);
    }
    const components = binaryComponents([...inputs, ...readConsoleInputs()]);
    writeFileSync(noticesFile, notices(components));
    writeFileSync(sbomFile, toSbom(JSON.parse(readFileSync("package.json", "utf8")).version, components));
    for (const target of wanted) await pack(target, folder, [...packages.keys()]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packs the scripts in the folder: the program, and the packages that it loads on first use. */
async function pack(target: string, folder: string, packages: readonly string[]): Promise<void> {
  const [platform, arch] = target.split("-") as [keyof typeof platforms, string];
  const output = resolve("dist", `crm-integrations-${target}${platform === "win32" ? ".exe" : ""}`);
  const addon = `${prebuilds}/${target}.node`;
  const assets = {
    [addonName]: addon,
    [noticesAsset]: noticesFile,
    [docsAsset]: packedSite,
    "openapi.json": "docs/openapi.json",
    "swagger-ui.css": `${swaggerUi}/swagger-ui.css`,
    "swagger-ui-bundle.js": `${swaggerUi}/swagger-ui-bundle.js`,
    ...Object.fromEntries(fixtureFiles.map((file) => [`fixtures/${basename(file)}`, file])),
    ...Object.fromEntries(packages.map((name) => [name, join(folder, name)])),
    ...Object.fromEntries(globSync("dist/console/*").map((file) => [`console/${basename(file)}`, file])),
  };
  const seaConfig = {
    assets: Object.fromEntries(Object.entries(assets).map(([name, file]) => [name, resolve(file)])),
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    // Compiled code fits only the processor that compiled it.
    useCodeCache: target === thisMachine,
    // With SIGUSR1, Node would open a debugger to everyone on the machine.
    execArgv: ["--disable-sigusr1", ...nodeOptions],
    // NODE_OPTIONS must not change how the program runs.
    execArgvExtension: "none",
  };
  // pkg writes in place, which would change a binary that is running.
  rmSync(output, { force: true });
  if (platform === "linux" && target !== thisMachine)
    await packForeign(output, nodeFromNpm(arch, folder), seaConfig, folder);
  else
    await pkg.default(join(folder, "program.cjs"), {
      targets: [{ platform: platforms[platform], arch, nodeRange: `node${process.versions.node}`, output }],
      ...(target === thisMachine && { nodePath: strippedNode(folder) }),
      seaConfig,
      signature: true,
    });
  const { glibc, glibcxx } = platform === "linux" ? requirementsOf(addon) : {};
  const needs = glibc === undefined ? "" : `, needs glibc ${glibc} and GLIBCXX ${glibcxx}`;
  process.stdout.write(`${output}: ${(statSync(output).size / 1e6).toFixed(1)} MB${needs}\n`);
}

/** Packs the program into a Node that can't run here. pkg would run it to read its version. */
async function packForeign(output: string, node: string, seaConfig: object, folder: string): Promise<void> {
  const [config, blob] = [join(folder, "sea.json"), join(folder, "sea.blob")];
  writeFileSync(config, JSON.stringify({ ...seaConfig, main: join(folder, "program.cjs"), output: blob }));
  execFileSync(process.execPath, ["--experimental-sea-config", config], { stdio: "ignore" });
  copyFileSync(node, output);
  await inject(output, "NODE_SEA_BLOB", readFileSync(blob), { sentinelFuse });
}

/** The text in Node that postject changes when it adds a program. */
const sentinelFuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Returns a Node without debug symbols. After pkg has added the program, strip would remove it. */
function strippedNode(folder: string): string {
  if (process.platform !== "linux") return process.execPath;
  const node = join(folder, "node");
  copyFileSync(process.execPath, node);
  try {
    execFileSync("strip", [node], { stdio: "ignore" });
  } catch {
    process.stderr.write("strip is not installed: the binary keeps Node's debug symbols.\n");
  }
  return node;
}

/** Returns a Node for another processor. It can't run here, so npm must install it in spite of the processor. */
function nodeFromNpm(arch: string, folder: string): string {
  const name = `node-linux-${arch}`;
  const options = ["--no-save", "--no-audit", "--force", "--os=linux", `--cpu=${arch}`, "--prefix", folder];
  execFileSync("npm", ["install", ...options, `${name}@${process.versions.node}`], { stdio: "ignore" });
  return join(folder, "node_modules", name, "bin/node");
}

await main();
