import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { addonFile, loadAddon } from "../../build/addon.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const data = temporaryFolder();
const shipped = fs.readFileSync(`node_modules/better-sqlite3/prebuilds/${process.platform}-${process.arch}.node`);

test("a worker thread loads the SQLite addon only if its file is unchanged", () => {
  assert.equal(addonFile(), undefined);
  loadAddon(shipped, data);
  const file = join(data, "native", "better_sqlite3.node");
  assert.equal(addonFile(), file);
  // As another version of the program does.
  fs.writeFileSync(`${file}.other`, shipped, { mode: 0o500 });
  fs.renameSync(file, `${file}.away`);
  fs.renameSync(`${file}.other`, file);
  assert.equal(addonFile(), undefined);
  fs.rmSync(file);
  assert.equal(addonFile(), undefined);
  fs.renameSync(`${file}.away`, file);
  assert.equal(addonFile(), file);
});
