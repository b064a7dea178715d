import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { startUnder } from "../../support/program.ts";

/** Mounts a disk that is removed after the test. If that isn't possible, skips the test and returns undefined. */
export function smallDisk(t: TestContext, kibibytes: number): string | undefined {
  const folder = fs.mkdtempSync(join(tmpdir(), "crm-disk-"));
  const { status, error } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${kibibytes}k`, "tmpfs", folder]);
  t.after(() => {
    if (status === 0) spawnSync("umount", ["--lazy", folder]);
    fs.rmSync(folder, { recursive: true, force: true });
  });
  if (status === 0) return folder;
  t.skip(`no disk can be mounted here${error === undefined ? "" : `: ${error.message}`}`);
  return undefined;
}

/** Fills the free space of a disk except for some KiB. Returns a function that frees it. */
export function fill(disk: string, leavingKibibytes = 0): () => void {
  const file = join(disk, "filling");
  const { bavail, bsize } = fs.statfsSync(disk);
  const descriptor = fs.openSync(file, "w");
  try {
    const bytes = Math.max(0, bavail * bsize - leavingKibibytes * 1024);
    for (let left = bytes; left > 0; ) left -= fs.writeSync(descriptor, Buffer.alloc(Math.min(left, 65_536)));
    // Space that was freed in between.
    if (leavingKibibytes === 0) for (;;) fs.writeSync(descriptor, Buffer.alloc(4096));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    fs.closeSync(descriptor);
  }
  return () => fs.rmSync(file, { force: true });
}

/** Returns whether a command can be used. Skips the test otherwise. */
export function hasCommand(t: TestContext, command: string, ...args: string[]): boolean {
  const { status, error } = spawnSync(command, args);
  if (error === undefined && status === 0) return true;
  t.skip(`${command} can't be used here`);
  return false;
}

/** Asserts that the program fails to start with exit code 1 and one line on stderr. Returns the line. */
export async function failedStart(t: TestContext, before: readonly string[], ...args: string[]): Promise<string> {
  const started = startUnder(t, before, "serve", "--listen", "127.0.0.1:0", ...args);
  const serves = started.waitForOutput(/serves/).then(
    () => assert.fail("it serves"),
    () => started.ended,
  );
  const { code, stdout, stderr } = await Promise.race([started.ended, serves]);
  assert.deepEqual([code, stdout, stderr.split("\n").length], [1, "", 2], stderr);
  return stderr.trimEnd();
}
