import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { matchesGlob } from "node:path";
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

test("docker build gets every file that the Dockerfile copies", () => {
  const allowed = readFileSync(".dockerignore", "utf8")
    .split("\n")
    .filter((line) => line.startsWith("!"));
  const dockerfile = readFileSync("Dockerfile", "utf8");
  const [, binary = ""] = /^ARG BINARY=(.*)$/m.exec(dockerfile) ?? [];
  const paths = [...dockerfile.matchAll(/^COPY (?!--from)(?:--\S+ )*(\S+) /gm)].map(([, path = ""]) => path);
  const copied = paths.map((path) => path.replace(/^\$\{BINARY\}$/, binary));
  assert.deepEqual(copied, ["dist/crm-integrations-linux-x64", "dist/crm-integrations.licenses.txt"]);
  for (const path of copied)
    assert.ok(
      allowed.some((pattern) => matchesGlob(path, pattern.slice(1))),
      path,
    );
});
