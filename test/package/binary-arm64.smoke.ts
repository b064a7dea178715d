import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { type Greeting, startCommand } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const binary = resolve("dist/crm-integrations-linux-arm64");
/** Debian's qemu-user and libstdc++6-arm64-cross. */
const machine = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"];

test("the arm64 binary serves requests under emulation", { timeout: 580_000 }, async (t) => {
  if (!existsSync(binary)) return t.skip("no binary for arm64: npm run build:binary -- linux-arm64");
  if (spawnSync(machine[0] ?? "", ["--version"]).status !== 0) return t.skip("no qemu-aarch64 here");
  const cwd = temporaryFolder(t);
  const args = ["serve", "--data", "data", "--fixtures", "demo", "--listen", "127.0.0.1:0", "--json"];
  const env = { PATH: process.env.PATH };
  const { child, ended, waitForOutput } = startCommand(t, [...machine, binary, ...args], { cwd, env });
  const greeting: Greeting = JSON.parse((await waitForOutput(/\n/)).split("\n", 1)[0] ?? "");
  const headers = { "x-api-key": greeting.keys[0]?.key ?? "", "content-type": "application/json" };
  const body = JSON.stringify({ title: "Call" });
  const made = await fetch(`${greeting.baseUrl}/tasks`, { method: "POST", headers, body });
  assert.equal(made.status, 201, await made.text());
  const ready = (await (await fetch(`${greeting.url}/readyz`)).json()) as { status: string };
  assert.equal(ready.status, "ready");
  assert.match(await (await fetch(`${greeting.url}/console/`)).text(), /<title>CRM console/);
  for (const command of [
    ["check", "--data", "data"],
    ["backup", "--data", "data", "copy.db"],
  ]) {
    const { status, stderr } = spawnSync(machine[0] ?? "", [...machine.slice(1), binary, ...command], { cwd, env });
    assert.equal(status, 0, `${command[0]}: ${stderr}`);
  }
  child.kill("SIGTERM");
  const { code, stderr } = await ended;
  assert.equal(code, 0, stderr);
});
