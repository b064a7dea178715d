import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Records, Storage } from "#lib";
import { removeTenant } from "#lib/sqlite";
import { streamTenantFile } from "#lib/tenant-file";
import { command, type ProgramCommand } from "../cli/command.ts";
import { Failure, UsageError } from "../cli/errors.ts";
import { fileTimestamp, formatTable } from "../cli/format.ts";
import { writePrivateFile } from "../cli/private-file.ts";
import type { ProgramProcess } from "../cli/program-process.ts";
import { booleanSetting, stringSetting } from "../cli/setting.ts";
import { databaseFile, defaultData } from "../database/data-folder.ts";
import {
  type DatabaseValues,
  databaseSettings,
  openDatabase,
  openSnapshot,
  removeTenantRequests,
} from "../database/database.ts";
import { removePostgresTenant } from "../database/postgres-database.ts";
import { findTenant } from "../tenants/tenant.ts";

const tenantList = command({
  name: "tenant list",
  summary: "List the tenants of the database, with the archived ones",
  settings: { ...databaseSettings, json: booleanSetting("print JSON: a list of id, name, createdAt, archivedAt") },
  examples: ["crm-integrations tenant list"],
  async run({ json, ...databaseValues }, _operands, program) {
    const { storage } = await openDatabase(databaseValues, program);
    const tenants = await storage.listTenants().finally(() => storage.close());
    const rows = tenants.map(({ id, name, createdAt, archivedAt }) => ({
      id,
      name,
      createdAt: new Date(createdAt).toISOString(),
      archivedAt: archivedAt === null ? null : new Date(archivedAt).toISOString(),
    }));
    const table = (): string => formatTable(rows, ["id", "name", "createdAt", "archivedAt"]);
    program.stdout.write(json ? `${JSON.stringify(rows, null, 2)}\n` : table());
  },
});

const tenantRename = command({
  name: "tenant rename",
  summary: "Rename a tenant, given by ID or name",
  operands: "<TENANT> <NAME>",
  settings: databaseSettings,
  examples: ["crm-integrations tenant rename Acme 'Acme Ltd'"],
  async run(databaseValues, [idOrName = "", name = ""], program) {
    if (name.trim() === "" || [...name].length > 255) throw new UsageError("A name has 1 to 255 characters.");
    const { storage } = await openDatabase(databaseValues, program);
    const before = await updateTenant(storage, idOrName, "active", () => ({ name })).finally(() => storage.close());
    program.stdout.write(`Renamed the tenant ${before.name} to ${name}.\n`);
  },
});

const tenantArchive = command({
  name: "tenant archive",
  summary: "Archive a tenant, given by ID or name; its API keys and admin tokens stop working",
  details: "All records remain. tenant restore undoes it. To delete a tenant with its records, use tenant remove.",
  operands: "<TENANT>",
  settings: databaseSettings,
  examples: ["crm-integrations tenant archive Acme"],
  async run(databaseValues, [idOrName = ""], program) {
    const { storage, flag } = await openDatabase(databaseValues, program);
    const archived = updateTenant(storage, idOrName, "active", (now) => ({ archivedAt: now }));
    const { id, name } = await archived.finally(() => storage.close());
    program.stdout.write(`Archived the tenant ${name}. To undo: crm-integrations tenant restore ${id} ${flag}\n`);
  },
});

const tenantRestore = command({
  name: "tenant restore",
  summary: "Restore an archived tenant, given by ID or name",
  details: "If the removal of a tenant was interrupted, don't restore it: load its backup.",
  operands: "<TENANT>",
  settings: databaseSettings,
  examples: ["crm-integrations tenant restore Acme"],
  async run(databaseValues, [idOrName = ""], program) {
    const { storage } = await openDatabase(databaseValues, program);
    const restored = updateTenant(storage, idOrName, "archived", () => ({ archivedAt: null }));
    const { name } = await restored.finally(() => storage.close());
    program.stdout.write(`Restored the tenant ${name}.\n`);
  },
});

/** Finds a tenant, changes it, and returns it as it was before. @throws Failure if it doesn't exist */
async function updateTenant(
  storage: Storage,
  idOrName: string,
  state: "active" | "archived",
  changes: (now: number) => Partial<Pick<Records["tenant"], "name" | "archivedAt">>,
): Promise<Records["tenant"]> {
  const before = await findTenant(storage, idOrName, state);
  const now = Date.now();
  await storage.commit(before.id, now, (at) => [
    {
      op: "update",
      kind: "tenant",
      record: { ...before, ...changes(now), updatedAt: at },
      expectedUpdatedAt: before.updatedAt,
    },
  ]);
  return before;
}

const tenantRemove = command({
  name: "tenant remove",
  summary: "Remove a tenant, given by ID or name, with all its records, users and API keys",
  details:
    "Its API keys stop working at once, also on a running server. A backup is written first; load brings the tenant back.",
  operands: "<TENANT>",
  settings: {
    ...databaseSettings,
    yes: booleanSetting("skip the confirmation"),
    out: stringSetting("FILE", "tenant file of the backup (default: removed-ID-TIME.json in the data folder)"),
    json: booleanSetting("print JSON: tenantId, name, backup"),
  },
  examples: [
    "crm-integrations tenant remove 'Fjordlys Coffee Equipment'",
    "crm-integrations tenant remove Acme --yes --out acme.json",
  ],
  async run({ yes, out, json, ...databaseValues }, [idOrName = ""], program) {
    const opened = await openDatabase(databaseValues, program);
    const tenant = await findTenant(opened.storage, idOrName, "any").finally(() => opened.storage.close());
    const backup = out ?? join(opened.folder ?? ".", `removed-${tenant.id}-${fileTimestamp(Date.now())}.json`);
    if (!yes) await confirm(program, tenant, opened.name, backup);
    await remove(databaseValues, tenant.id, () => backUp(databaseValues, program, tenant.id, backup));
    const lines = [
      `Removed the tenant ${tenant.name} (${tenant.id}). Its API keys no longer work.`,
      `The backup is ${backup}. To bring the tenant back: crm-integrations load ${backup} ${opened.flag}`,
    ];
    const removed = { tenantId: tenant.id, name: tenant.name, backup };
    program.stdout.write(`${json ? JSON.stringify(removed) : lines.join("\n")}\n`);
  },
});

export const tenantCommands: readonly ProgramCommand[] = [
  tenantList,
  tenantRename,
  tenantArchive,
  tenantRestore,
  tenantRemove,
];

/** @throws UsageError if there is no terminal @throws Failure if the input isn't the tenant's name */
async function confirm(
  { stdin, stderr }: ProgramProcess,
  { id, name }: Records["tenant"],
  database: string | undefined,
  backup: string,
): Promise<void> {
  if (!stdin.isTTY) throw new UsageError("tenant remove needs --yes if there is no terminal to ask on.");
  const terminal = createInterface({ input: stdin, output: stderr });
  const lines = [
    `This removes the tenant ${name} (${id}) with all its records, users and API keys from ${database}.`,
    `A backup is written to ${backup} first.`,
    "Type the tenant's name to confirm: ",
  ];
  const reply = await terminal
    .question(lines.join("\n"))
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ABORT_ERR") throw error;
      stderr.write("\n");
      return undefined;
    })
    .finally(() => terminal.close());
  if (reply === undefined) throw new Failure("Canceled. Nothing was removed.");
  if (reply.trim() !== name) throw new Failure("That isn't the tenant's name. Nothing was removed.");
}

async function backUp(
  databaseValues: DatabaseValues,
  program: ProgramProcess,
  tenantId: string,
  file: string,
): Promise<void> {
  const snapshot = await openSnapshot(databaseValues);
  try {
    const chunks = await streamTenantFile(snapshot, tenantId);
    if (chunks === undefined) throw new Failure(`The tenant ${tenantId} no longer exists.`);
    await writePrivateFile(program, file, chunks);
  } finally {
    await snapshot.close();
  }
}

async function remove(
  { data, database }: DatabaseValues,
  tenantId: string,
  backUp: () => Promise<void>,
): Promise<void> {
  if (database === undefined) {
    const folder = data ?? defaultData;
    await removeTenant({ file: databaseFile(folder), tenantId, backUp });
    return removeTenantRequests(folder, tenantId);
  }
  let isBackedUp = false;
  try {
    await removePostgresTenant(database, tenantId, async () => {
      await backUp();
      isBackedUp = true;
    });
  } catch (error) {
    if (!isBackedUp) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(`The removal was interrupted (${reason}). To finish it, run it again with the ID ${tenantId}.`);
  }
}
