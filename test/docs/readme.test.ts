import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, utimesSync } from "node:fs";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { endpointsFile, withEndpoints } from "../readme.ts";
import {
  executedPages,
  maskOutput,
  missingTools,
  neededTools,
  preparedCommands,
  runPage,
  stepsOf,
} from "../support/docs-pages.ts";
import { serveDemo } from "../support/serve-demo.ts";

const hint = "It is out of date. `npm run readme` writes it.";

test("the table of endpoints in docs/reference is generated from the code", () => {
  const page = readFileSync(endpointsFile, "utf8");
  assert.ok(page === withEndpoints(page), hint);
});

test("README starts with the commands that serve the demo and run the tests", () => {
  const [start, suite] = stepsOf(readFileSync("README.md", "utf8"));
  assert.deepEqual([start?.code, suite?.code], ["npm ci && npm start\n", "npm ci && npm test\n"]);
});

test("npm start --silent -- --json serves the demo tenant and prints one line of JSON", async (t) => {
  const args = ["start", "--silent", "--", "--json", "--listen", "127.0.0.1:0"];
  const child = spawn("npm", args, { stdio: ["ignore", "pipe", "ignore"], detached: true });
  // npm starts a shell, which starts the server.
  t.after(() => child.exitCode ?? process.kill(-(child.pid as number), "SIGKILL"));
  const closed = once(child, "close");
  const ended = closed.then(([code]) => assert.fail(`npm start exited with code ${code}`));
  ended.catch(() => {});
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [line] = (await Promise.race([once(createInterface(child.stdout), "line"), ended])) as [string];
  const { baseUrl, keys, pid } = JSON.parse(line) as { baseUrl: string; keys: { key: string }[]; pid: number };
  const response = await fetch(`${baseUrl}/me`, { headers: { "x-api-key": keys[0]?.key ?? "" } });
  assert.equal(response.status, 200);
  process.kill(pid, "SIGTERM");
  await closed;
  assert.equal(output, `${line}\n`);
});

test("npm start prints nothing on stdout for the console, and doesn't build an unchanged one", async (t) => {
  const script = "dist/console/index.html";
  const build = (): void => {
    const { stdout, status } = spawnSync("npm", ["run", "-s", "prestart"], { encoding: "utf8", shell: true });
    assert.deepEqual([stdout, status], ["", 0]);
  };
  build();
  const { mtimeMs } = statSync(script);
  build();
  assert.equal(statSync(script).mtimeMs, mtimeMs);
  const source = "console/main.tsx";
  const { atime, mtime } = statSync(source);
  t.after(() => utimesSync(source, atime, mtime));
  utimesSync(source, new Date(mtimeMs + 1_000), new Date(mtimeMs + 1_000));
  build();
  assert.ok(statSync(script).mtimeMs > mtimeMs);
});

test("every command of the executed pages is executed by a test", () => {
  const commands = executedPages
    .flatMap((file) => stepsOf(readFileSync(file, "utf8")))
    .flatMap(({ language, code }) =>
      language === "sh" && /^(?:npm|crm-integrations) /.test(code) ? [code.trim()] : [],
    );
  assert.deepEqual([...new Set(commands)].sort(), Object.keys(preparedCommands).sort());
});

const missing = missingTools();
const skip = missing.length > 0 && `not installed: ${missing.join(", ")}. The pages need ${neededTools.join(", ")}.`;

for (const file of executedPages) {
  test(`the code blocks of ${file} run and print what the page shows`, { skip, timeout: 120_000 }, async (t) => {
    const steps = stepsOf(readFileSync(file, "utf8"));
    const demo = await serveDemo();
    t.after(() => demo.stop());
    const outputs = await runPage(steps, demo.url);
    for (const [index, { output }] of steps.entries())
      if (output !== undefined) assert.equal(maskOutput(outputs[index] ?? ""), output, hint);
  });
}
