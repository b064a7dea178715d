import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { LineWriter } from "../../bin/cli/line-writer.ts";
import { temporaryFolder } from "../support/serve-demo.ts";

const folder = temporaryFolder();
const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} ${"x".repeat(index % 200)}\n`);

test("lines come whole and in order to a file, however they are written", async () => {
  const file = join(folder, "log");
  const descriptor = fs.openSync(file, "w");
  const writer = new LineWriter(descriptor);
  for (const [index, line] of lines.entries()) {
    writer.write(line);
    if (index % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await writer.close();
  fs.closeSync(descriptor);
  assert.ok(fs.readFileSync(file, "utf8") === lines.join(""), "the file is not what was written");
});

test("lines come whole and in order through a pipe that is full again and again", { timeout: 30_000 }, async (t) => {
  const fifo = join(folder, "fifo");
  if (spawnSync("mkfifo", [fifo]).status !== 0) return t.skip("no mkfifo here");
  const descriptor = fs.openSync(fifo, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
  const reader = spawn("cat", [fifo], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => reader.kill());
  const writer = new LineWriter(descriptor);
  for (const line of lines) writer.write(line);
  const read = text(reader.stdout);
  await writer.close();
  fs.closeSync(descriptor);
  assert.ok((await read) === lines.join(""), "what came through is not what was written");
});

test("what nobody takes is dropped beyond 8 MiB, and does not hold up the end", { timeout: 30_000 }, async (t) => {
  const fifo = join(folder, "stuck");
  if (spawnSync("mkfifo", [fifo]).status !== 0) return t.skip("no mkfifo here");
  const descriptor = fs.openSync(fifo, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
  const writer = new LineWriter(descriptor);
  const line = "x".repeat(1_000_000);
  for (let times = 0; times < 100; times++) writer.write(line);
  await writer.close();
  const taken = fs.openSync(fifo, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  const bytes = Buffer.alloc(65_536);
  let total = 0;
  for (;;) {
    try {
      total += fs.readSync(taken, bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      if (total >= 9_000_000) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  assert.equal(total, 9_000_000, "the first, which was under way, and the eight that fit behind it");
  for (const each of [taken, descriptor]) fs.closeSync(each);
});
