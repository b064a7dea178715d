import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { crmIntegrations } from "../../support/run-program.ts";
import { run } from "../../support/serve-demo.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
writeFileSync(join(folder, "my file.json"), "");
const files = join(folder, "my");

async function scriptOf(shell: string): Promise<string> {
  const { code, stdout } = await crmIntegrations("completion", shell);
  assert.equal(code, 0);
  const file = join(folder, shell);
  writeFileSync(file, stdout);
  return file;
}

function missingShell(shell: string): string | false {
  return spawnSync(shell, ["-c", "true"]).status === 0 ? false : `no ${shell} here`;
}

/** Words of a command line with the completions of the last word. */
const cases: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
  [
    ["completion", ""],
    ["bash", "fish", "zsh"],
  ],
  [["help", "ke"], ["key"]],
  [["hel"], ["help"]],
  [
    ["key", "r"],
    ["revoke", "rotate"],
  ],
  [
    ["help", "key", "r"],
    ["revoke", "rotate"],
  ],
  [["key", "rotate", "--int"], ["--integration"]],
];

test("bash completes commands and options, and leaves file names to the shell", {
  skip: missingShell("bash"),
}, async () => {
  const script = await scriptOf("bash");
  for (const [words, offered] of [...cases, [["load", files], [""]] as const]) {
    const commands = `. "$0"; COMP_WORDS=(crm-integrations "$@"); COMP_CWORD=$#; _crm_integrations; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run("bash", ["-c", commands, script, ...words]);
    assert.deepEqual(stdout.trimEnd().split("\n").sort(), offered, words.join(" "));
  }
  const { stdout } = await run("bash", ["-c", '. "$0"; complete -p crm-integrations', script]);
  assert.equal(stdout, "complete -o default -F _crm_integrations crm-integrations\n");
});

test("fish completes commands and options, each once", { skip: missingShell("fish") }, async () => {
  const script = await scriptOf("fish");
  const offers = async (words: readonly string[]): Promise<readonly string[]> => {
    const commands = `source ${script}; complete -C "crm-integrations ${words.join(" ")}"`;
    const { stdout } = await run("fish", ["--no-config", "-c", commands]);
    return stdout.split("\n").flatMap((line) => line.split("\t")[0] || []);
  };
  for (const [words, offered] of cases) assert.deepEqual([...(await offers(words))].sort(), offered, words.join(" "));
  const again = await offers(["key", "create", ""]);
  assert.ok(!again.includes("rotate") && !again.includes("create"), again.join(" "));
});

test("zsh accepts the completion script", { skip: missingShell("zsh") }, async () => {
  const { code, stderr } = await run("zsh", ["-n", await scriptOf("zsh")]);
  assert.deepEqual([code, stderr], [0, ""]);
});
