import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { run } from "../support/serve-demo.ts";

/** Runs code in a process that reports the given versions of Node and Node-API. */
function runOnNode(node: string, napi: string, code: string) {
  const versions = JSON.stringify({ node: { value: node }, napi: { value: napi } });
  const asIfOlder = `Object.defineProperties(process.versions, ${versions})`;
  const asModule = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;
  return run(process.execPath, ["--import", "tsx", "--import", asModule(asIfOlder), "--eval", code]);
}

const opens = {
  "sqliteStorage()": 'sqliteStorage({ file: ":memory:" })',
  "sqliteSnapshot()": 'sqliteSnapshot({ file: "package.json" })',
  "checkDatabase()": 'checkDatabase({ file: "package.json" })',
  "migrateDatabase()": 'migrateDatabase({ file: "package.json" })',
  "restoreDatabase()": 'restoreDatabase({ file: "none.db", backup: "package.json" })',
};

for (const [name, call] of Object.entries(opens)) {
  test(`${name} throws on a Node that can't load SQLite`, async () => {
    const code = `import("./lib/storage/sqlite/index.ts").then(
      ({ sqliteStorage, sqliteSnapshot, checkDatabase, migrateDatabase, restoreDatabase }) => ${call},
    ).catch((error) => console.log(error.name + ": " + error.message))`;
    const { stdout } = await runOnNode("22.13.1", "9", code);
    assert.match(
      stdout,
      /^DatabaseError: .*SQLite needs Node 22\.14 or later, and not 23\.0 to 23\.5\. This is Node 22\.13\.1\. Update Node\.\n$/,
    );
  });
}

test("sqliteStorage() opens a database on the oldest supported Node", async () => {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
  assert.equal(engines.node, ">=22.14");
  const code = `import("./lib/storage/sqlite/index.ts").then(
    ({ sqliteStorage }) => sqliteStorage({ file: ":memory:" }).close().then(() => console.log("closed")))`;
  assert.equal((await runOnNode("22.14.0", "10", code)).stdout, "closed\n");
});
