import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { minGlibc } from "../../bin/check/data-folder.ts";
import { type Requirements, requirementsOf } from "../../build/requirements.ts";

const addons = ["x64", "arm64"].map((arch) => `node_modules/better-sqlite3/prebuilds/linux-${arch}.node`);

test("README and the install guide name the glibc and GLIBCXX versions that SQLite's addon needs", (t) => {
  const needs = addons
    .map(requirementsOf)
    .filter((found): found is Required<Requirements> => found.glibc !== undefined);
  if (needs.length === 0) return t.skip("objdump is not installed (binutils)");
  assert.deepEqual([...new Set(needs.map(({ glibc }) => glibc))], [minGlibc]);
  for (const page of ["README.md", "docs/operate/install.md"]) {
    const text = readFileSync(page, "utf8").replaceAll(/\s+/g, " ");
    const named = (name: RegExp): string[] => [...text.matchAll(name)].map(([, version = ""]) => version);
    assert.deepEqual([...new Set(named(/glibc (\d[\d.]*\d)/g))], [minGlibc], page);
    assert.deepEqual(
      [...new Set(named(/GLIBCXX (\d[\d.]*\d)/g))],
      [...new Set(needs.map(({ glibcxx }) => glibcxx))],
      page,
    );
  }
});

test("the pages that name the oldest Node name the one of package.json", () => {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
  const pages = ["README.md", "CONTRIBUTING.md", "docs/operate/install.md", "docs/project/versioning.md"];
  for (const page of [...pages, "docs/start/embed-in-express.md"]) {
    const named = [...readFileSync(page, "utf8").matchAll(/Node (\d+\.\d+)\s+or\s+later/g)].map(
      ([, version]) => version,
    );
    assert.deepEqual([...new Set(named)], [engines.node.replace(">=", "")], page);
  }
});
