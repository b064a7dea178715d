import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { uuidV7 } from "../../lib/index.ts";
import { insertWrite, newAccount, startTime } from "../../lib/storage/contract/records.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { importCrm } from "../support/import-crm.ts";
import { start } from "../support/program.ts";

const crm = await importCrm();
const storage = sqliteStorage({ file: `${crm.data}/crm.db` });
// Each commit has the size that an import has.
for (let first = 0; first < 20_000; first += 500)
  await storage.commit(crm.tenant.id, startTime, (at) =>
    Array.from({ length: 500 }, (_, index) => {
      const fields = { name: `Row ${first + index}`, description: "x".repeat(200) };
      return insertWrite("account", newAccount(uuidV7(at), at, fields));
    }),
  );
await storage.close();
const target = crm.write("target.csv", "unchanged");
const own = (): readonly string[] => readdirSync(dirname(target)).filter((name) => /^(target|out)/.test(name));

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  for (const [what, args] of [
    ["an export", ["export", target, "--entity", "account"]],
    ["a dump", ["dump", "--out", crm.path("out.json")]],
  ] as const) {
    test(`${what} that ${signal} interrupts leaves no partial file`, { timeout: 60_000 }, async (t) => {
      const started = start(t, ...args, ...crm.storageArgs);
      let hasEnded = false;
      void started.ended.then(() => {
        hasEnded = true;
      });
      while (!hasEnded && own().length === 1) await pause(1);
      assert.ok(!hasEnded, "it was over before it could be broken off");
      started.child.kill(signal);
      const { code, stdout } = await started.ended;
      assert.deepEqual([code, stdout, own()], [1, "", ["target.csv"]]);
      assert.deepEqual([own(), crm.read("target.csv")], [["target.csv"], "unchanged"]);
    });
  }
}
