import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { serveDemo } from "../support/serve-demo.ts";

/**
 * Generates a client from docs/openapi.json in each language, compiles it and runs it against a server with the demo
 * tenant. Installs the generators for the run. `npm run test:generators -- go` runs one language.
 */
const folder = mkdtempSync(join(tmpdir(), "crm-generators-"));
const description = resolve("docs/openapi.json");
const timeoutMs = 600_000;
const versions = { python: "0.29.1", go: "v2.8.2", java: "7.17.0" };

type Language = keyof typeof versions;
type Env = Readonly<Record<string, string>>;

/** The commands that a language needs, beside the ones that it installs. */
const tools: Readonly<Record<Language, readonly string[]>> = { python: ["python3"], go: ["go"], java: ["java", "mvn"] };

const languages: Readonly<Record<Language, (env: Env) => Promise<void>>> = {
  async python(env) {
    const python = join(folder, "venv/bin/python");
    command("python3", ["-m", "venv", join(folder, "venv")]);
    command(python, ["-m", "pip", "install", "--quiet", `openapi-python-client==${versions.python}`]);
    const config = join(folder, "python.yaml");
    writeFileSync(config, "package_name_override: crm_client\npost_hooks: []\n");
    const generated = join(folder, "python");
    mkdirSync(generated);
    const output = ["--meta", "none", "--output-path", join(generated, "crm_client")];
    const generator = join(folder, "venv/bin/openapi-python-client");
    command(generator, ["generate", "--path", description, "--config", config, ...output]);
    await trial(python, [resolve("test/generators/python/trial.py"), generated], env);
  },
  async go(env) {
    const cwd = copied("go");
    mkdirSync(join(cwd, "crm"));
    const options = { cwd, env: { ...process.env, GOBIN: join(folder, "bin"), GOFLAGS: "-mod=mod" } };
    command("go", ["install", `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${versions.go}`], options);
    command(join(folder, "bin/oapi-codegen"), ["-config", "config.yaml", description], options);
    command("go", ["mod", "tidy"], options);
    command("go", ["build", "-o", "trial", "."], options);
    await trial(join(cwd, "trial"), [], env);
  },
  async java(env) {
    const cwd = copied("java");
    const artifact = `org.openapitools:openapi-generator-cli:${versions.java}:jar`;
    const copy = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy";
    command("mvn", ["-q", "-B", copy, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], { cwd });
    const jar = join(folder, `openapi-generator-cli-${versions.java}.jar`);
    const generator = ["generate", "-i", description, "-g", "java", "-o", cwd, "-c", "config.yaml"];
    command("java", ["-jar", jar, ...generator], { cwd });
    command(
      "mvn",
      ["-q", "-B", "-Dmaven.test.skip", "-Dmaven.javadoc.skip=true", "package", "dependency:copy-dependencies"],
      { cwd },
    );
    const classPath = ["target/*", "target/dependency/*"].map((path) => join(cwd, path)).join(":");
    await trial("java", ["-cp", classPath, join(cwd, "Trial.java")], env);
  },
};

/** Returns a copy of the folder of a language. */
function copied(language: Language): string {
  cpSync(resolve("test/generators", language), join(folder, language), { recursive: true });
  return join(folder, language);
}

/** Runs a command to its end. Prints its output if it fails. */
function command(name: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): void {
  const { status, error, stdout, stderr } = spawnSync(name, args, { ...options, encoding: "utf8", timeout: timeoutMs });
  if (status !== 0) throw new Error(`${name} ${args.join(" ")} failed: ${error ?? ""}\n${stdout}\n${stderr}`);
}

/** Runs the program of a language without blocking the proxy in this process. */
async function trial(name: string, args: readonly string[], env: Env): Promise<void> {
  const child = spawn(name, args, { env: { ...process.env, ...env }, stdio: "inherit", timeout: timeoutMs });
  const code = await new Promise((ended, failed) => child.once("error", failed).once("exit", ended));
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
}

/** Starts a proxy that drops the response of the first POST. */
async function startProxy(target: string): Promise<{ readonly url: string; close(): void }> {
  let hasDropped = false;
  const proxy = createServer((incoming, outgoing) => {
    const drops = incoming.method === "POST" && !hasDropped;
    hasDropped ||= drops;
    const { method = "GET", headers, url = "/" } = incoming;
    const forwarded = request(new URL(url, target), { method, headers }, (response) => {
      if (drops) return void response.resume().once("end", () => incoming.socket.destroy());
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
  const { port } = proxy.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => proxy.close() };
}

const selected = process.argv.slice(2) as Language[];
const served = await serveDemo(undefined, "--rate-limit", "10000");
try {
  for (const language of selected.length > 0 ? selected : (Object.keys(languages) as Language[])) {
    const missing = tools[language].filter((tool) => spawnSync(tool, ["--version"]).error !== undefined);
    if (missing.length > 0) {
      process.stdout.write(`skipped ${language}: ${missing.join(" and ")} not installed\n`);
      continue;
    }
    const proxy = await startProxy(served.url);
    const started = performance.now();
    try {
      const env = { CRM_URL: `${proxy.url}/integrations/v1`, CRM_KEY: served.keys[0]?.key ?? "" };
      await languages[language](env);
      process.stdout.write(`✔ ${language}: ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
    } finally {
      proxy.close();
    }
  }
} finally {
  await served.stop();
  rmSync(folder, { recursive: true, force: true });
}
