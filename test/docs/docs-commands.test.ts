import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { flagOf } from "../../bin/cli/setting.ts";
import { commands } from "../../bin/commands/index.ts";

const calls = globSync("docs/operate/*.md").flatMap((file) =>
  [...readFileSync(file, "utf8").matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block = ""]) => block.split(/[\n|]/))
    .map((line) => line.trim().replace(/^sudo /, ""))
    .filter((line) => line.startsWith("crm-integrations ")),
);

test("every command in docs/operate exists and has the flags that are shown", () => {
  assert.ok(calls.length >= 20, `only ${calls.length} calls`);
  for (const call of calls) {
    const [, name, ...args] = call.split(" ");
    const found = commands.find((command) => command.name === name || command.name === `${name} ${args[0]}`);
    assert.ok(found !== undefined, call);
    const known = Object.keys(found.settings).map(flagOf);
    const flags = args.filter((arg) => arg.startsWith("--"));
    assert.deepEqual(
      flags.filter((flag) => !known.includes(flag)),
      [],
      call,
    );
  }
});

test("docs/operate shows each command that looks after a database", () => {
  for (const name of ["backup", "restore", "migrate", "load", "dump", "check", "tenant remove"]) {
    assert.ok(
      calls.some((call) => `${call} `.startsWith(`crm-integrations ${name} `)),
      name,
    );
  }
});
