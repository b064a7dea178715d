import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";

/** Holds generators, generated clients and downloaded packages. */
export const folder = mkdtempSync(join(tmpdir(), "crm-clients-"));
const description = resolve("docs/openapi.json");
const timeoutMs = 600_000;

/** The server and the API key, as environment variables. */
export type Env = { readonly CRM_URL: string; readonly CRM_API_KEY: string };

/** Commands that must be installed, by language. */
export const tools: Readonly<Record<string, readonly string[]>> = {
  python: ["python3"],
  go: ["go"],
  java: ["java", "mvn"],
};

/** Generates the client of a language, or bundles the TypeScript client, and runs the program that uses it. */
export const languages: Readonly<Record<string, (env: Env) => Promise<void>>> = {
  async python(env) {
    const python = join(folder, "venv/bin/python");
    command("python3", ["-m", "venv", join(folder, "venv")]);
    command(python, ["-m", "pip", "install", "--quiet", "openapi-python-client==0.29.1"]);
    const config = join(folder, "python.yaml");
    writeFileSync(config, "package_name_override: crm_client\npost_hooks: []\n");
    const generated = join(folder, "python");
    mkdirSync(generated);
    const output = ["--meta", "none", "--output-path", join(generated, "crm_client")];
    const generator = join(folder, "venv/bin/openapi-python-client");
    command(generator, ["generate", "--path", description, "--config", config, ...output]);
    await run(python, [resolve("test/clients/python/trial.py"), generated], env);
  },
  async go(env) {
    const cwd = copied("go");
    mkdirSync(join(cwd, "crm"));
    const options = { cwd, env: { ...process.env, GOBIN: join(folder, "bin"), GOFLAGS: "-mod=mod" } };
    command("go", ["install", "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"], options);
    command(join(folder, "bin/oapi-codegen"), ["-config", "config.yaml", description], options);
    command("go", ["mod", "tidy"], options);
    command("go", ["build", "-o", "trial", "."], options);
    await run(join(cwd, "trial"), [], env);
  },
  async java(env) {
    const cwd = copied("java");
    const artifact = "org.openapitools:openapi-generator-cli:7.17.0:jar";
    const copy = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy";
    command("mvn", ["-q", "-B", copy, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], { cwd });
    const jar = join(folder, "openapi-generator-cli-7.17.0.jar");
    command("java", ["-jar", jar, "generate", "-i", description, "-g", "java", "-o", cwd, "-c", "config.yaml"], {
      cwd,
    });
    const options = ["-q", "-B", "-Dmaven.test.skip", "-Dmaven.javadoc.skip"];
    command("mvn", [...options, "package", "dependency:copy-dependencies"], { cwd });
    const classPath = ["target/*", "target/dependency/*"].map((path) => join(cwd, path)).join(":");
    await run("java", ["-cp", classPath, join(cwd, "Trial.java")], env);
  },
  async node(env) {
    await run(process.execPath, [await typeScriptProgram()], env);
  },
  async deno(env) {
    const deno = installed("deno@2.9.6");
    await run(deno, ["run", "--allow-net", "--allow-env", await typeScriptProgram()], env);
    await run(deno, ["run", "--allow-all", storageProgram, join(folder, "deno.db")], env);
  },
  async bun(env) {
    const bun = installed("bun@1.4.5");
    await run(bun, ["run", await typeScriptProgram()], env);
    await run(bun, ["run", resolve("test/clients/typescript/server.ts")], env);
    await run(bun, ["run", storageProgram, join(folder, "bun.db")], env);
  },
};

/** Serves the API from memory and from SQLite. */
const storageProgram = resolve("test/clients/typescript/storage.ts");

/** Bundles the program that uses the TypeScript client. Returns its path. */
export async function typeScriptProgram(): Promise<string> {
  const outdir = join(folder, "typescript");
  const entryPoints = ["test/clients/typescript/main.ts", "test/clients/typescript/trial.ts"];
  await build({ entryPoints, outdir, bundle: true, format: "esm", platform: "neutral", logLevel: "error" });
  writeFileSync(join(outdir, "package.json"), '{ "type": "module" }');
  return join(outdir, "main.js");
}

/** Installs an npm package. Returns the path of its command, which has the name of the package by default. */
export function installed(packageVersion: string, name = packageVersion.split("@")[0] ?? ""): string {
  command("npm", ["install", "--silent", "--prefix", folder, packageVersion]);
  return join(folder, "node_modules/.bin", name);
}

/** Returns a copy of a folder of test/clients. */
function copied(name: string): string {
  cpSync(resolve("test/clients", name), join(folder, name), { recursive: true });
  return join(folder, name);
}

/** Runs a command to its end. Throws its output if it fails. */
export function command(
  name: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): void {
  const { status, error, stdout, stderr } = spawnSync(name, args, { ...options, encoding: "utf8", timeout: timeoutMs });
  if (status !== 0) throw new Error(`${name} ${args.join(" ")} failed: ${error ?? ""}\n${stdout}\n${stderr}`);
}

/** Runs a program without blocking the servers of this process. */
async function run(name: string, args: readonly string[], env: Env): Promise<void> {
  const child = spawn(name, args, { env: { ...process.env, ...env }, stdio: "inherit", timeout: timeoutMs });
  const code = await new Promise((ended, failed) => child.once("error", failed).once("exit", ended));
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
}
