import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { startUnder } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
/** Makes a command the first process of a PID namespace, as in a container. */
const container = ["unshare", "--map-root-user", "--pid", "--fork", "--kill-child"];
const [probe = "", ...options] = [...container, "true"];
const skip = spawnSync(probe, options).status === 0 ? false : "no PID namespace can be created here";

/** Sends SIGTERM to the child of a process, if there is one. */
function terminateChild(parent: number | undefined): void {
  try {
    process.kill(Number(readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8")) || Number.NaN, "SIGTERM");
  } catch {
    // It hasn't started, or has ended.
  }
}

test("in a container, SIGTERM ends a command that doesn't handle it", { skip, timeout: 60_000 }, async (t) => {
  // The command waits for its input.
  const { child, ended } = startUnder(t, container, "load", "--data", folder, "-");
  let isRunning = true;
  void ended.then(() => {
    isRunning = false;
  });
  // The system ignores signals until Node has started.
  for (let tries = 0; isRunning && tries < 100; tries++) {
    terminateChild(child.pid);
    await wait(100);
  }
  assert.ok(!isRunning, "the command ignores SIGTERM");
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, stdout, stderr], [143, "", ""]);
});
