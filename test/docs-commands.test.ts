import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { flagOf } from "../bin/cli/setting.ts";
import { commands } from "../bin/commands/index.ts";

const page = readFileSync(new URL("../docs/operations.md", import.meta.url), "utf8");
const calls = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
  .flatMap(([, block = ""]) => block.split(/[\n|]/))
  .map((line) => line.trim())
  .filter((line) => line !== "");

test("every call in the guide for operations is one of the program, and so is each of its flags", () => {
  assert.ok(calls.length >= 10, `only ${calls.length} calls`);
  for (const call of calls) {
    const [program, name, ...words] = call.split(" ");
    const found = commands.find((each) => each.name === name || each.name === `${name} ${words[0]}`);
    assert.ok(program === "crm-integrations" && found !== undefined, call);
    const known = Object.keys(found.settings).map(flagOf);
    const flags = words.filter((word) => word.startsWith("--"));
    assert.deepEqual(
      flags.filter((flag) => !known.includes(flag)),
      [],
      call,
    );
  }
});

test("the guide for operations is one screen a section, and names each of its commands", () => {
  for (const name of ["backup", "restore", "migrate", "load", "dump", "check", "tenant remove"]) {
    assert.ok(
      calls.some((call) => call.startsWith(`crm-integrations ${name} `)),
      name,
    );
  }
  for (const section of page.split(/^## /m)) assert.ok(section.split("\n").length <= 40, section.slice(0, 40));
});
