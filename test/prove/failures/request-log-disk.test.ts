import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { serving } from "../../support/program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { size } from "../size.ts";
import { tenantWithKeys, writeTenantFile } from "./many-keys.ts";
import { fill, smallDisk } from "./small-disk.ts";

const timeout = size(120_000, 1_200_000);
const tenant = tenantWithKeys(1);
const [key = ""] = tenant.keys;

/** Makes a disk unusable. Returns a function that undoes it. */
const faults: Readonly<Record<string, (disk: string) => () => void>> = {
  full: (disk) => fill(disk),
  "read-only": (disk) => {
    assert.equal(spawnSync("mount", ["-o", "remount,ro", disk]).status, 0);
    return () => assert.equal(spawnSync("mount", ["-o", "remount,rw", disk]).status, 0);
  },
};

for (const [fault, cause] of Object.entries(faults)) {
  test(`while the disk of requests.db is ${fault}, each response is as without the log, and later requests are logged`, {
    timeout,
  }, async (t) => {
    const disk = smallDisk(t, 4_096);
    if (disk === undefined) return;
    const folder = temporaryFolder(t);
    const data = join(folder, "data");
    fs.mkdirSync(data);
    fs.symlinkSync(join(disk, "requests.db"), join(data, "requests.db"));
    const program = await serving(t, "--data", data, "--fixtures", writeTenantFile(join(folder, "a.json"), tenant));
    const send = async (method: string, path: string, id: string, body?: unknown) => {
      const headers = { "x-api-key": key, "x-request-id": id, "content-type": "application/json" };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const response = await fetch(program.greeting.baseUrl + path, init);
      await response.arrayBuffer();
      return response.status;
    };
    if (fault === "full") {
      // A disk with an open file can't become read-only.
      assert.equal(await send("POST", "/tasks", "before", {}), 400);
      assert.equal(await send("GET", "/requests/before", "find"), 200);
    }
    const repair = cause(disk);
    // The first read of the log appends what waits, which fails.
    for (let round = 0; round < 3; round++) {
      assert.equal(await send("POST", "/tasks", `lost-${round}`, {}), 400);
      assert.equal(await send("POST", "/tasks", "written", { title: "Call" }), 201);
      assert.equal(await send("GET", "/tasks", "read"), 200);
      assert.ok([404, 503].includes(await send("GET", `/requests/lost-${round}`, "find")));
    }
    repair();
    assert.equal(await send("POST", "/tasks", "after", {}), 400);
    assert.equal(await send("GET", "/requests/after", "find"), 200);
    program.child.kill("SIGTERM");
    assert.equal((await program.ended).code, 0);
  });
}
