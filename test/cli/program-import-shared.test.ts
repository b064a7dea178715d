import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { test } from "node:test";
import { type FileResult, type ImportOptions, importFile } from "../../bin/import/import-file.ts";
import { localTarget } from "../../bin/import/import-target.ts";
import { inProcessRequest } from "../../bin/tenants/tenant.ts";
import { createApi, type Storage, StorageUnavailable, wrapStorage } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { importCrm } from "../support/import-crm.ts";
import { serving, start } from "../support/program.ts";
import { testTenant } from "../support/tenants.ts";

const rows = 4_000;
const names = Array.from({ length: rows }, (_, row) => `Row ${row}`);
const csv = `name\n${names.join("\n")}\n`;

test("an import and a server can write to the same database at the same time", { timeout: 300_000 }, async (t) => {
  const crm = await importCrm();
  const { greeting } = await serving(t, "--data", crm.data, "--rate-limit", "99999");
  const headers = { "x-api-key": crm.tenant.key, "content-type": "application/json" };
  const importing = start(t, "import", crm.write("shared.csv", csv), "--entity", "account", ...crm.storageArgs);
  let hasEnded = false;
  const ended = importing.ended.finally(() => {
    hasEnded = true;
  });
  const statuses = new Set<number>();
  let served = 0;
  for (; !hasEnded || served === 0; served++) {
    const body = JSON.stringify({ name: `Served ${served}` });
    const response = await fetch(`${greeting.baseUrl}/accounts`, { method: "POST", headers, body });
    statuses.add(response.status);
    await response.body?.cancel();
  }
  const { code, stdout, stderr } = await ended;
  assert.match(stdout, new RegExp(`^created ${rows}, updated 0, unchanged 0, rejected 0 in `), stderr);
  assert.deepEqual([code, [...statuses]], [0, [201]]);
  const there = new Set((await crm.records("account")).map(({ name }) => name));
  assert.equal(there.size, rows + served);
  assert.ok(names.every((name) => there.has(name)));
});

/** Imports a file of contacts in this process into the given storage. */
async function importOver(storage: Storage, file: string): Promise<FileResult> {
  const api = createApi({ storage });
  const { id: tenantId } = testTenant(1);
  const options: ImportOptions = {
    ...{ file, entity: "contact", format: undefined, delimiter: undefined, map: [], ignoreColumns: false },
    ...{ upsertBy: undefined, emptyClears: false, spreadsheet: false },
    ...{
      rejected: undefined,
      dryRun: false,
      locale: { dateFormat: "YYYY-MM-DD", decimal: ".", trim: false, encoding: "utf-8" },
      dropInvalid: [],
      restart: false,
    },
  };
  const tools = { program: process, stop: new AbortController().signal, note: () => {}, shortage: () => undefined };
  const opened = { storage, api, tenantId, call: () => Promise.reject(), request: inProcessRequest(api, tenantId) };
  try {
    return await importFile(options, localTarget(opened, tools), tools);
  } finally {
    await api.close();
  }
}

test("an import sends rows again after StorageUnavailable, even if the commit stored them", async () => {
  const crm = await importCrm();
  const file = crm.write("busy.csv", `${csv.split("\n").slice(0, 101).join("\n")}\n`);
  const real = sqliteStorage({ file: `${crm.data}/crm.db` });
  let commits = 0;
  const busy = wrapStorage(real, {
    async commit(...parameters) {
      commits += 1;
      if (commits === 1) throw new StorageUnavailable("locked");
      await real.commit(...parameters);
      if (commits === 2) throw new StorageUnavailable("the result of the commit is unknown");
    },
  });
  const { created, unchanged, rejected } = (await importOver(busy, file)).counts;
  assert.deepEqual([created + unchanged, rejected], [100, 0]);
  assert.ok(unchanged > 0, "the second commit stored no rows");
  assert.deepEqual((await crm.records("contact")).map(({ name }) => name).toSorted(), names.slice(0, 100).toSorted());
});

test("an import reads and sends again while the database is unavailable", async () => {
  const crm = await importCrm();
  const accounts = names.slice(0, 1_200).map((name) => `Of ${name}`);
  const made = await crm.import(crm.write("accounts.csv", `name\n${accounts.join("\n")}\n`), "account");
  assert.equal(made.created, 1_200);
  const lines = accounts.map((account, row) => `${names[row]},${account}\n`);
  const file = crm.write("down.csv", `name,accountId\n${lines.join("")}`);
  const real = sqliteStorage({ file: `${crm.data}/crm.db` });
  let [isCommitting, failures] = [false, 6];
  const assertUp = (): void => {
    if (isCommitting && failures-- > 0) throw new StorageUnavailable("down");
  };
  const down = wrapStorage(real, {
    async commit(...parameters) {
      isCommitting = true;
      assertUp();
      await real.commit(...parameters);
    },
    async list(...parameters) {
      assertUp();
      return real.list(...parameters);
    },
  });
  assert.deepEqual((await importOver(down, file)).counts, { created: 1_200, updated: 0, unchanged: 0, rejected: 0 });
  assert.ok(failures < 0, "the database was never unavailable");
});

test("import fails if the file changes between validation and import", async () => {
  const crm = await importCrm();
  const padded = names.map((name) => `${name},${"x".repeat(40)}\n`).join("");
  const file = crm.write("growing.csv", `name,jobTitle\n${padded}`);
  const real = sqliteStorage({ file: `${crm.data}/crm.db` });
  let commits = 0;
  const growing = wrapStorage(real, {
    commit(...parameters) {
      commits += 1;
      if (commits === 1) appendFileSync(file, "One more,\n");
      return real.commit(...parameters);
    },
  });
  await assert.rejects(importOver(growing, file), {
    name: "Error",
    message: `${file} changed during the import: 4000 rows at validation, 4001 at import. Import it again when no program writes to it.`,
  });
  assert.ok(crm.has("growing.csv.progress.json"));
});
