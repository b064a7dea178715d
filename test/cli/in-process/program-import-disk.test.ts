import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { writeProgress } from "../../../bin/import/progress-file.ts";
import { RejectedRows } from "../../../bin/import/rejected-rows.ts";
import { fill, smallDisk } from "../../prove/failures/small-disk.ts";
import { importCrm } from "../../support/import-crm.ts";
import { tenantFolder } from "../../support/program.ts";
import { crmIntegrations, type Ended } from "../../support/run-program.ts";
import { testTenant } from "../../support/tenants.ts";

const rows = 20_000;
const text = `name,description\n${Array.from({ length: rows }, (_, row) => `Row ${row},${"x".repeat(1_000)}\n`).join("")}`;

test("an import stops before the disk is full, and continues with the same command once there is space", {
  timeout: 300_000,
}, async (t) => {
  const disk = smallDisk(t, 196_608);
  if (disk === undefined) return;
  const crm = await importCrm();
  const data = `${disk}/data`;
  cpSync(crm.data, data, { recursive: true });
  const file = crm.write("large.csv", text);
  const imported = (...more: string[]): Promise<Ended> =>
    crmIntegrations("import", file, "--entity", "account", "--data", data, ...more);
  // The write-ahead log has up to 16 MiB, which a checkpoint then writes to the database as well.
  const free = fill(disk, 60_000);
  const { code, stdout, stderr } = await imported("--min-free-mb", "32");
  assert.deepEqual([code, stdout], [1, ""], stderr);
  assert.match(
    stderr,
    /Less than 32 MiB of disk space is free in .*data\. Free disk space or lower --min-free-mb\. Run the same command again to resume\.\n$/,
  );
  assert.doesNotMatch(stderr, /StorageUnavailable|DiskSpaceLowError/);
  const { bavail, bsize } = statfsSync(disk);
  assert.ok(bavail * bsize > 8 * 1024 * 1024, "the disk was filled on");
  const { rows: done } = JSON.parse(readFileSync(`${file}.progress.json`, "utf8"));
  assert.ok(done > 0 && done < rows, `${done} rows`);
  const preset = await imported();
  assert.match(preset.stderr, /Less than 64 MiB of disk space is free/);
  free();
  const last = await imported("--min-free-mb", "32");
  assert.match(last.stdout, new RegExp(`^created ${rows}, updated 0, unchanged 0, rejected 0 in `), last.stderr);
});

test("on a full disk, progress and rejected rows report it, leave no partial file and lose no row", (t) => {
  const disk = smallDisk(t, 1_024);
  if (disk === undefined) return;
  const file = `${disk}/rows.csv.progress.json`;
  const progress = { version: 1, about: { sha256: "" }, nonce: "", rows: 1, rejectedBytes: 0 } as const;
  const counts = { created: 1, updated: 0, unchanged: 0, rejected: 0 };
  const rejects = new RejectedRows(`${disk}/rejected.csv`, {
    format: "csv",
    header: ["name"],
    delimiter: ",",
    hasBom: false,
  });
  rejects.add({ line: 1, raw: ["first"] }, []);
  rejects.sync();
  const free = fill(disk);
  assert.throws(() => writeProgress(file, { ...progress, counts }), {
    message: `Cannot write ${file}: the disk is full. Free disk space and run the same command again.`,
  });
  assert.deepEqual([existsSync(file), existsSync(`${file}.new`)], [false, false]);
  rejects.add({ line: 2, raw: ["x".repeat(60_000)] }, []);
  for (const _ of [1, 2]) assert.throws(() => rejects.sync(), /Cannot write .*rejected\.csv: the disk is full\./);
  free();
  rejects.close();
  writeFileSync(`${disk}/free`, "");
  assert.deepEqual(readdirSync(disk).toSorted(), ["free", "rejected.csv"]);
  assert.match(readFileSync(`${disk}/rejected.csv`, "utf8"), /^name,_line,_errors,_text\nfirst,1,,\nx{60000},2,,\n$/);
});

test("load rejects a tenant if the disk has less free space than --min-free-mb", { timeout: 60_000 }, async (t) => {
  const disk = smallDisk(t, 32_768);
  if (disk === undefined) return;
  const { file } = tenantFolder(testTenant(1), t);
  const loaded = (...more: string[]): Promise<Ended> =>
    crmIntegrations("load", file, "--data", `${disk}/data`, ...more);
  const { code, stdout, stderr } = await loaded();
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^crm-integrations: Less than 64 MiB of disk space is free\. Free disk space /);
  const done = await loaded("--min-free-mb", "1");
  assert.equal(done.code, 0, done.stderr);
});
