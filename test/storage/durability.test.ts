import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = fs.realpathSync(temporaryFolder());

const skip = spawnSync("strace", ["-o", "/dev/null", "true"]).status !== 0 && "needs strace";

/**
 * Runs `code` and returns the folders, links and syncs in `folder` that precede its output, except those that match
 * `except`.
 */
function steps(folder: string, code: string, except = /$^/): string[] {
  const trace = join(root, "trace");
  const calls = "trace=mkdir,link,fsync,fdatasync,write";
  const program = [process.execPath, "--import", "tsx", "--input-type=module", "-e", code];
  const { status, stderr } = spawnSync("strace", ["-f", "-y", "-e", calls, "-o", trace, ...program], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  const lines = fs.readFileSync(trace, "utf8").split("\n");
  const all = lines.flatMap((line) => stepOf(folder, line)).filter((step) => !except.test(step));
  return all.slice(0, all.indexOf("done") + 1).filter((step, index) => step !== all[index - 1]);
}

/** Parses one line of the trace. Returns an empty array for a line that doesn't matter. */
function stepOf(folder: string, line: string): string[] {
  const within = (path = ""): string => path.slice(folder.length + 1).replace(/\.new-\w+/, ".new") || ".";
  const [, call, paths = ""] = /^\d+ +(\w+)\((.*)\) += 0$/.exec(line) ?? [];
  const path = [...paths.matchAll(/"([^"]+)"|<([^>]+)>/g)].map(([, named, opened]) => named ?? opened).at(-1);
  if (/ write\(1<.*"done"/.test(line)) return ["done"];
  if (call === undefined || path === undefined || !path.startsWith(folder)) return [];
  return [`${call === "mkdir" ? "make" : call === "link" ? "link" : "sync"} ${within(path)}`];
}

function opening(file: string): string {
  const library = JSON.stringify(pathToFileURL("lib/storage/sqlite/index.ts").href);
  return `
    import { writeSync } from "node:fs";
    import { sqliteStorage } from ${library};
    sqliteStorage({ file: ${JSON.stringify(file)} });
    writeSync(1, "done");`;
}

suite("durability across a power loss", { skip }, () => {
  test("a new data folder is synced before its database is created", () => {
    const folder = join(root, "new");
    fs.mkdirSync(folder);
    assert.deepEqual(steps(folder, opening(join(folder, "a/b/crm.db")), /\.new|-wal/), [
      "make a",
      "make a/b",
      "sync a",
      "sync .",
      "sync a/b",
      "link a/b/crm.db",
      "sync a/b",
      "done",
    ]);
  });

  test("opening a database syncs the commits that a crashed process left unsynced", async () => {
    const running = join(root, "running");
    const file = join(running, "crm.db");
    const storage = sqliteStorage({ file });
    const tenant = await createTenant(storage, 1);
    await storage.commit(tenant, startTime, (at) => [insertWrite("task", newTask(idOf(1, 1), at))]);
    const died = join(root, "died");
    fs.mkdirSync(died);
    for (const name of ["crm.db", "crm.db-wal"]) fs.copyFileSync(join(running, name), join(died, name));
    await storage.close();
    assert.deepEqual(steps(died, opening(join(died, "crm.db"))), ["sync crm.db-wal", "sync .", "done"]);
    const database = new Database(join(died, "crm.db"), { readonly: true });
    assert.deepEqual(database.prepare("SELECT id FROM tasks").pluck().all(), [idOf(1, 1)]);
    database.close();
  });

  test("the admin secret is synced before it signs a token", () => {
    const folder = join(root, "secret");
    fs.mkdirSync(folder);
    const module = JSON.stringify(pathToFileURL("bin/database/data-folder.ts").href);
    const code = `
      import { writeSync } from "node:fs";
      import { folderAdminAuth } from ${module};
      folderAdminAuth(${JSON.stringify(folder)});
      writeSync(1, "done");`;
    assert.deepEqual(steps(folder, code), ["sync admin.secret.new", "link admin.secret", "sync .", "done"]);
  });
});
