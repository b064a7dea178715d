import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";

const folder = "docs/project/decisions";

test("docs/project/decisions/README.md lists every decision with its title, status and date", () => {
  const rows = globSync(`${folder}/[0-9]*.md`)
    .sort()
    .map((file) => {
      const head = /^# (\d+)\. (.+)\n\n- Status: (.+)\n- Date: (\d{4}-\d\d-\d\d)\n/.exec(readFileSync(file, "utf8"));
      assert.ok(head !== null, file);
      const [, number = "", title, status, date] = head;
      assert.equal(basename(file).slice(0, 4), number.padStart(4, "0"));
      return `| ${number} | [${title}](${basename(file)}) | ${status} | ${date} |`;
    });
  assert.ok(rows.length > 0);
  const index = readFileSync(`${folder}/README.md`, "utf8").split("\n");
  assert.deepEqual(
    index.filter((line) => /^\| \d/.test(line)),
    rows,
  );
});

test("every file that docs/project/architecture.md names exists", () => {
  const text = readFileSync("docs/project/architecture.md", "utf8");
  const files = [...text.matchAll(/`((?:lib|bin|test)\/[\w/.-]+)`/g)].map(([, file = ""]) => file);
  assert.ok(files.length > 30);
  assert.deepEqual(
    files.filter((file) => !existsSync(file)),
    [],
  );
});
