import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { start, startUnder } from "../support/program.ts";
import { crmIntegrations } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const data = join(temporaryFolder(), "data");
const acme = ["--tenant-name", "Acme", "--admin-name", "Ana", "--admin-email", "ana@acme.example"];
await crmIntegrations("init", "--data", data, ...acme);

const skip = existsSync("/dev/full") ? false : "no /dev/full here";
const full = ["sh", "-c", 'exec "$@" >/dev/full', "sh"];
/** Runs a command with a stdout whose reader has ended. */
const unread = ["bash", "-c", 'exec 3> >(exit 0); wait $!; exec "$@" >&3', "bash"];

const printing: readonly (readonly string[])[] = [
  ["key", "list", "--data", data],
  ["openapi"],
  ["generate", "--accounts", "1000"],
  ["--help"],
  ["help", "serve"],
];
for (const args of printing) {
  test(`${args.slice(0, 2).join(" ")} reports in one line that its output can't be written`, { skip }, async (t) => {
    const { code, stderr } = await startUnder(t, full, ...args).ended;
    assert.equal(stderr, "crm-integrations: Cannot write to stdout: ENOSPC.\n");
    assert.equal(code, 1);
  });

  test(`${args.slice(0, 2).join(" ")} ends without an error if the reader closes the pipe`, async (t) => {
    const { code, stderr } = await startUnder(t, unread, ...args).ended;
    assert.deepEqual([code, stderr], [0, ""]);
  });
}

for (const [what, before, fault] of [
  ["a full disk", full, "ENOSPC"],
  ["a closed pipe", unread, "EPIPE"],
] as const) {
  const options = { skip: before === full && skip };
  test(
    `an API key that can't be printed to ${what} is reported with the command that revokes it`,
    options,
    async (t) => {
      const { code, stderr } = await startUnder(t, before, "key", "rotate", "--data", data).ended;
      assert.equal(code, 1);
      const [, masked = ""] =
        /^crm-integrations: The key (crm_live_\w{8}_\*{4}) was created, but can't be printed \((?:\w+)\)\. .*\n$/.exec(
          stderr,
        ) ?? [];
      assert.ok(stderr.includes(`(${fault})`) && stderr.endsWith(`key revoke '${masked}'\n`), stderr);
      const revoked = await start(t, "key", "revoke", masked, "--data", data).ended;
      assert.equal(revoked.stdout, `Revoked ${masked} of Integration.\n`);
    },
  );

  test(`init reports that the first API key couldn't be printed to ${what}`, options, async (t) => {
    const { code, stderr } = await startUnder(t, before, "init", "--data", `${data}-${fault}`, ...acme).ended;
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^crm-integrations: The tenant .+ was created, but its API key can't be printed .*key create .*\n$/,
    );
    assert.ok(stderr.includes(fault), stderr);
  });
}

test("serve starts if its banner can't be written, and logs it", { skip }, async (t) => {
  const program = startUnder(t, full, "serve", "--data", data, "--listen", "127.0.0.1:0");
  assert.match(await program.waitForOutput(/cannot write to stdout/, "stderr"), /"code":"ENOSPC"/);
  program.child.kill("SIGTERM");
  assert.equal((await program.ended).code, 0);
});
