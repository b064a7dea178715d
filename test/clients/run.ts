import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { serveDemo } from "../support/serve-demo.ts";
import { chromiumPath, runInBrowser } from "./browser.ts";
import { collectionTools, tryCollection } from "./collections.ts";
import { folder, languages, tools, typeScriptProgram } from "./languages.ts";
import { type Running, startFiles, startProxy } from "./servers.ts";

/**
 * Generates clients from docs/openapi.json, compiles them and runs them against a server with the demo tenant. Does the
 * same with the TypeScript client in each runtime. Imports docs/openapi.json into Postman and Bruno and sends all
 * requests. Installs the generators and tools for the run. `npm run test:clients -- go` runs one of them.
 */
const names = [...Object.keys(languages), "browser", "browser-cors", ...collectionTools];
const selected = process.argv.slice(2);
const files = dirname(await typeScriptProgram());
const otherOrigin = await startFiles(files);
const served = await serveDemo(undefined, "--rate-limit", "10000", "--cors-origin", otherOrigin.url);
const apiKey = served.keys[0]?.key ?? "";

async function trial(name: string, proxy: Running): Promise<void> {
  if (collectionTools.includes(name)) return tryCollection(name);
  const baseUrl = `${proxy.url}/integrations/v1`;
  if (!name.startsWith("browser")) return languages[name]?.({ CRM_URL: baseUrl, CRM_API_KEY: apiKey });
  await runInBrowser(name === "browser" ? proxy.url : otherOrigin.url, baseUrl, apiKey);
}

function missingTools(name: string): readonly string[] {
  if (name.startsWith("browser")) return chromiumPath === undefined ? ["chromium"] : [];
  return (tools[name] ?? []).filter((tool) => spawnSync(tool, ["--version"]).error !== undefined);
}

try {
  for (const name of selected.length > 0 ? selected : names) {
    const missing = missingTools(name);
    if (missing.length > 0) {
      process.stdout.write(`skipped ${name}: ${missing.join(" and ")} not installed\n`);
      continue;
    }
    const proxy = await startProxy(served.url, files);
    const started = performance.now();
    await trial(name, proxy).finally(() => proxy.close());
    process.stdout.write(`✔ ${name}: ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
  }
} finally {
  otherOrigin.close();
  await served.stop();
  rmSync(folder, { recursive: true, force: true });
}
