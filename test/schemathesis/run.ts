import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { crmIntegrations } from "../support/run-program.ts";
import { type Served, serveDemo } from "../support/serve-demo.ts";

/**
 * Compares the responses of a server with the demo tenant with docs/openapi.json, with all checks of Schemathesis, in
 * about two minutes. Installs Schemathesis from the Python package index for the run, and skips the run if that fails.
 * Passes its arguments on, such as `--seed 7`.
 */
const folder = mkdtempSync(join(tmpdir(), "crm-schemathesis-"));
const here = resolve("test/schemathesis");
const description = resolve("docs/openapi.json");
const longestMs = 900_000;

const tenant = "01943aa0-bc00-7f06-b989-aece882520fc";
const admin = "ingrid.solberg@fjordlys.example";
/** An address that nothing listens to. `serve` allows webhooks to it. */
const receiver = "127.0.0.1:9";
/** A rate limit that the run doesn't reach. */
const rateLimit = "50000";

try {
  const missing = install();
  if (missing === undefined) process.exitCode = await check();
  else process.stdout.write(`Schemathesis is skipped: ${missing}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Installs Schemathesis. Returns the error, or `undefined` on success. */
function install(): string | undefined {
  const python = join(folder, "python");
  const made = spawnSync("python3", ["-m", "venv", python], { encoding: "utf8" });
  if (made.status !== 0) return made.error?.message ?? lastLine(made.stdout + made.stderr);
  const pip = ["-m", "pip", "install", "--quiet", "--requirement", join(here, "requirements.txt")];
  const filled = spawnSync(join(python, "bin/python"), pip, { encoding: "utf8", timeout: longestMs });
  return filled.status === 0 ? undefined : lastLine(filled.stderr);
}

/** Checks the operations of integrations, then those of admins. Returns the exit code of the first pass that fails. */
async function check(): Promise<number> {
  const data = join(folder, "data");
  const served = await serveDemo(data, "--rate-limit", rateLimit, "--webhook-allow", receiver);
  try {
    const token = await crmIntegrations("token", "--data", data, "--tenant", tenant, "--user", admin);
    const env = {
      ...process.env,
      CRM_API_KEY: served.keys[0]?.key,
      CRM_EVENT: await createEvent(served),
      CRM_RECEIVER: `https://${receiver}/webhook`,
      CRM_TOKEN: token.stdout.trim(),
      CRM_TENANT: tenant,
      SCHEMATHESIS_HOOKS: join(here, "hooks.py"),
      PYTHONDONTWRITEBYTECODE: "1",
    };
    const pass = (...args: string[]): number => {
      const config = ["--config-file", join(here, "schemathesis.toml")];
      const st = join(folder, "python/bin/st");
      const options = { cwd: folder, env, stdio: "inherit", timeout: longestMs } as const;
      return spawnSync(st, [...config, "run", description, ...args, ...process.argv.slice(2)], options).status ?? 1;
    };
    // The demo has one record of some kinds, which another scenario restores after one has archived it.
    const restored = ["--exclude-checks", "use_after_free"];
    const adminPaths = "^/(admin|api-key)";
    return (
      pass("--url", served.baseUrl, "--exclude-path-regex", adminPaths) ||
      pass("--url", `${served.url}/integrations`, "--include-path-regex", adminPaths, ...restored)
    );
  } finally {
    await served.stop();
  }
}

/** Creates a task. Returns the ID of its event. */
async function createEvent({ baseUrl, keys }: Served): Promise<string> {
  const headers = { "x-api-key": keys[0]?.key ?? "", "content-type": "application/json" };
  await fetch(`${baseUrl}/tasks`, { method: "POST", headers, body: JSON.stringify({ title: "Call" }) });
  const response = await fetch(`${baseUrl}/events`, { headers });
  const { data } = (await response.json()) as { data: readonly { id: string }[] };
  return data.at(-1)?.id ?? "";
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
