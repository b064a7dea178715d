import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { LineWriter } from "../../bin/cli/line-writer.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const lines = Array.from({ length: 10_000 }, (_, index) => `line ${index} ${"x".repeat(index % 200)}\n`);

test("LineWriter writes every line to a file in order", async () => {
  const file = join(folder, "log");
  const descriptor = fs.openSync(file, "w");
  const writer = new LineWriter(descriptor);
  for (const [index, line] of lines.entries()) {
    writer.write(line);
    if (index % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await writer.close();
  fs.closeSync(descriptor);
  assert.ok(fs.readFileSync(file, "utf8") === lines.join(""), "the file differs from the written lines");
});

test("LineWriter writes every line in order to a pipe that fills up", { timeout: 30_000 }, async (t) => {
  const fifo = join(folder, "fifo");
  if (spawnSync("mkfifo", [fifo]).status !== 0) return t.skip("no mkfifo here");
  const descriptor = fs.openSync(fifo, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
  const reader = spawn("cat", [fifo], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => reader.kill());
  const writer = new LineWriter(descriptor);
  for (const line of lines) writer.write(line);
  // `close` waits for one second, which is too short for a reader that is still starting.
  await once(reader.stdout, "readable");
  const read = text(reader.stdout);
  await writer.close();
  fs.closeSync(descriptor);
  assert.ok((await read) === lines.join(""), "the pipe's output differs from the written lines");
});

test("LineWriter drops unread lines beyond 8 MiB, and close() doesn't wait for them", {
  timeout: 30_000,
}, async (t) => {
  const fifo = join(folder, "stuck");
  if (spawnSync("mkfifo", [fifo]).status !== 0) return t.skip("no mkfifo here");
  const descriptor = fs.openSync(fifo, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
  const writer = new LineWriter(descriptor);
  const line = "x".repeat(1_000_000);
  for (let times = 0; times < 100; times++) writer.write(line);
  await writer.close();
  const reader = fs.openSync(fifo, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  const bytes = Buffer.alloc(65_536);
  let total = 0;
  for (;;) {
    try {
      total += fs.readSync(reader, bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      if (total >= 9_000_000) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  assert.equal(total, 9_000_000, "expected the line being written and the eight queued lines");
  for (const each of [reader, descriptor]) fs.closeSync(each);
});
