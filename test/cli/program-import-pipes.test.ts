import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { importCrm } from "../support/import-crm.ts";
import { programCommand, start } from "../support/program.ts";

const crm = await importCrm();
const program = [...programCommand.slice(1), "import"];

function pipe(name: string): string {
  execFileSync("mkfifo", [crm.path(name)]);
  return crm.path(name);
}

test("/dev/stdin as a file is imported once, as CSV and as NDJSON", async () => {
  const rejected = ["--rejected", crm.path("rejected")];
  for (const [input, more] of [
    ["name\nStream 1\n", []],
    ['{"name":"Stream 2"}\n', ["--format", "ndjson"]],
  ] as const) {
    // A shell creates a pipe. By default, a child gets a socket, which has no name.
    const words = [...program, "/dev/stdin", "--entity", "account", ...crm.storageArgs, ...rejected, ...more];
    const { status, stdout, stderr } = spawnSync("sh", ["-c", 'cat | "$@"', "sh", process.execPath, ...words], {
      input,
      encoding: "utf8",
    });
    assert.deepEqual([status, /^created 1, updated 0, unchanged 0, rejected 0 /.test(stdout)], [0, true], stderr);
  }
  assert.deepEqual((await crm.records("account")).map(({ name }) => name).toSorted(), ["Stream 1", "Stream 2"]);
});

/** Opens a pipe for writing after another process opens it for reading. Writes `text` and returns the descriptor. */
function writer(file: string, text: string): number {
  const descriptor = openSync(file, "w");
  writeSync(descriptor, text);
  return descriptor;
}

test("a named pipe is imported to its end, and one that stalls can be interrupted", { timeout: 60_000 }, async (t) => {
  const file = pipe("rows.ndjson");
  const args = ["import", file, "--entity", "account", ...crm.storageArgs, "--rejected", crm.path("rejected")];
  const whole = start(t, ...args);
  closeSync(writer(file, '{"name":"Piped"}\n'));
  const { code, stdout, stderr } = await whole.ended;
  assert.deepEqual([code, /^created 1, /.test(stdout)], [0, true], stderr);

  const waiting = start(t, ...args);
  const silent = writer(file, "");
  waiting.child.kill("SIGTERM");
  const first = await waiting.ended;
  closeSync(silent);
  assert.deepEqual([first.code, first.stdout], [1, ""]);
  assert.match(first.stderr, /Stopped while waiting for .*rows\.ndjson\. Nothing was written\./);

  const secondImport = start(t, ...args.slice(0, -1), crm.path("halted"));
  const secondWriter = writer(file, `{}\n${'{"name":"Not the last"}\n'.repeat(511)}`);
  // The file of rejected rows exists once the first batch is written.
  while (!crm.has("halted")) await turn();
  secondImport.child.kill("SIGINT");
  const second = await secondImport.ended;
  closeSync(secondWriter);
  assert.match(second.stderr, /Stopped after row 512\. The import can't be resumed\.\n$/);
  assert.match(second.stdout, /^created \d+, updated 0, unchanged 0, rejected \d+ in /);
});

test("stdin is imported like a file, with a note that it can't be resumed", async () => {
  const args = [...programCommand.slice(1), "import", "-", "--entity", "account", ...crm.storageArgs];
  const rejected = ["--rejected", crm.path("stdin.csv")];
  const summary = execFileSync(process.execPath, [...args, ...rejected], {
    input: "name\nFrom a pipe\n",
    encoding: "utf8",
  });
  assert.match(summary, /^created 1, updated 0, unchanged 0, rejected 0 in /);
  assert.ok((await crm.records("account")).some(({ name }) => name === "From a pipe"));
});
