import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** Serves the demo tenant, and the form of docs/recipes/website-form.md, which prints its address. */

const args = ["--import", "tsx", "bin/crm-integrations.ts", "serve", "--fixtures", "demo", "--listen", "127.0.0.1:0"];
const cwd = new URL("../..", import.meta.url);
const crm = spawn(process.execPath, [...args, "--json", "--log-level", "error"], {
  cwd,
  stdio: ["ignore", "pipe", "inherit"],
});
const [line] = (await once(createInterface(crm.stdout), "line")) as [string];
const { baseUrl, keys } = JSON.parse(line) as { baseUrl: string; keys: { key: string }[] };
const form = spawn(process.execPath, ["examples/website-form/form.mjs"], {
  cwd,
  stdio: ["ignore", "inherit", "inherit"],
  env: { ...process.env, CRM_URL: baseUrl, CRM_API_KEY: keys[0]?.key },
});
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.once(signal, () => {
    for (const child of [form, crm]) child.kill("SIGTERM");
  });
