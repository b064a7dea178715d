import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type Storage, systemClock, uuidV7 } from "#lib";
import { isDatabaseInUse } from "#lib/sqlite";
import { checkTenantFile, loadTenantFile, TenantFileError } from "#lib/tenant-file";
import { parseNamedTenantFile, readTenantFiles } from "#lib/testing";
import { command } from "../cli/command.ts";
import { Failure } from "../cli/errors.ts";
import { maskKeys } from "../cli/format.ts";
import type { ProgramProcess } from "../cli/program-process.ts";
import { booleanSetting } from "../cli/setting.ts";
import { databaseFile, defaultData, pathExists } from "../database/data-folder.ts";
import { databaseSettings, openDatabase } from "../database/database.ts";
import { freeSpaceGuard, freeSpaceSettings } from "../database/free-space-guard.ts";

/** The result of one tenant file. */
type LoadResult = {
  readonly file: string;
  readonly outcome: "loaded" | "valid" | "exists" | "rejected";
  readonly tenantId?: string;
  readonly name?: string;
  readonly message?: string;
  /** The active test keys of a loaded file, masked. */
  readonly testKeys?: readonly string[];
  readonly errors?: readonly { readonly path: string; readonly code: string; readonly message: string }[];
};

/** Maximum size of a file that is loaded while a server uses the SQLite database: its commit takes about 100 ms. */
const maxSharedBytes = 512 * 1024;

const tools = { clock: systemClock, newId: () => uuidV7(Date.now()) };

export const loadCommand = command({
  name: "load",
  summary: "Load tenants from tenant files",
  details:
    "Use - for stdin. Each file is loaded completely or not at all. A tenant that already exists is left unchanged and " +
    "counts as a failure. While a server uses the SQLite database, a file can have at most 512 KiB, because a larger one " +
    "would make writes of the server fail.",
  operands: "<FILE...>",
  settings: {
    ...databaseSettings,
    dryRun: booleanSetting("validate the files without writing"),
    skipExisting: booleanSetting("don't count an existing tenant as a failure"),
    ...freeSpaceSettings,
    json: booleanSetting("print JSON: a list of file, outcome, tenantId, name, testKeys, errors"),
  },
  examples: [
    "crm-integrations load acme.json",
    "crm-integrations load acme.json other.json --dry-run",
    "crm-integrations dump --data old | crm-integrations load - --data new",
  ],
  async run({ data, database, dryRun, skipExisting, minFreeMb, json }, files, program) {
    const freeSpace = freeSpaceGuard({ data, database, minFreeMb });
    let storage: Storage | undefined;
    let flag = "";
    const open = async (): Promise<Storage> => {
      if (storage !== undefined) return storage;
      const opened = await openDatabase({ data, database }, program, { create: true });
      flag = opened.flag;
      storage = freeSpace.guard(opened.storage);
      return storage;
    };
    const file = databaseFile(data ?? defaultData);
    const exists = database === undefined && pathExists(file);
    const isShared = exists && !dryRun && isDatabaseInUse({ file });
    // A dry run or an invalid file must not create a database.
    if (database !== undefined || exists) await open();
    const results: LoadResult[] = [];
    for (const name of files) {
      results.push(
        ...(await loadEach(name, program.stdin, (content, fileName) => {
          if (isShared) assertShort(content, fileName, file);
          return loadContent(content, storage, dryRun ? undefined : open);
        })),
      );
    }
    await storage?.close();
    if (json) program.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
    else for (const result of results) printResult(program, result);
    for (const { tenantId, testKeys = [] } of results)
      if (testKeys.length > 0) warnTestKeys(program, `${tenantId} ${flag}`, testKeys);
    const failed = results.filter(({ outcome }) => {
      return outcome === "rejected" || (outcome === "exists" && !skipExisting);
    });
    if (failed.length > 0) throw new Failure(`${failed.length} of ${results.length} tenants were not loaded.`);
  },
});

/** Loads the files of one operand: a file, a folder, stdin or a bundled fixture. */
async function loadEach(
  name: string,
  stdin: Readable,
  load: (content: unknown, file: string) => Promise<Omit<LoadResult, "file">>,
): Promise<LoadResult[]> {
  const results: LoadResult[] = [];
  let file = name;
  try {
    const found = name === "-" ? [parseNamedTenantFile("stdin", await buffer(stdin))] : readTenantFiles(name);
    for (const each of found) {
      file = each.name;
      results.push({ file, ...(await load(each.content, file)) });
    }
  } catch (error) {
    if (!(error instanceof TenantFileError)) throw error;
    const errors = error.issues.map(({ problem: { path, code, message } }) => ({ path, code, message }));
    results.push({ file, outcome: "rejected", message: error.message.split("\n")[0] ?? "", errors });
  }
  return results;
}

/**
 * A commit of the whole file locks the SQLite database, and the server rejects writes that wait for 5 s.
 * @throws TenantFileError if the file is too large to be loaded while another process uses the database
 */
function assertShort(content: unknown, file: string, databasePath: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(content));
  if (bytes <= maxSharedBytes) return;
  const size = `${file} has ${Math.ceil(bytes / 1024)} KiB, and a process such as a server uses ${databasePath}.`;
  const limit = `Its writes would fail while more than ${maxSharedBytes / 1024} KiB are loaded.`;
  throw new TenantFileError(`${size} ${limit} Stop the server, load the file, and start the server again.`);
}

/** Validates the content, and loads it unless `open` is undefined (dry run). */
async function loadContent(
  content: unknown,
  storage: Storage | undefined,
  open: (() => Promise<Storage>) | undefined,
): Promise<Omit<LoadResult, "file">> {
  if (open === undefined || storage === undefined) {
    const { exists, tenantId, name } = await checkTenantFile(storage, content, tools);
    if (open === undefined) return { outcome: exists ? "exists" : "valid", tenantId, name };
  }
  const { created, tenantId, name, keys } = await loadTenantFile(await open(), content, tools);
  if (!created) return { outcome: "exists", tenantId, name };
  const testKeys = keys
    .filter(({ key, revoked }) => !revoked && key.startsWith("crm_test_"))
    .map(({ key }) => maskKeys(key));
  return { outcome: "loaded", tenantId, name, ...(testKeys.length === 0 ? {} : { testKeys }) };
}

function printResult(
  { stdout, stderr }: ProgramProcess,
  { file, outcome, tenantId, name, message, errors = [] }: LoadResult,
): void {
  if (outcome === "rejected") {
    const lines = errors.map((error) => `  ${error.path || "/"}: ${error.message}`);
    // Without errors, the file can't be read or parsed, and the message names it.
    const head = errors.length === 0 ? message : `${file}: ${message}`;
    stderr.write(`${[head, ...lines].join("\n")}\n`);
  } else if (outcome === "exists") {
    const hint = "Nothing was changed. load creates tenants; it doesn't update them.";
    stderr.write(`${file}: the tenant ${tenantId} (${name}) already exists. ${hint}\n`);
  } else stdout.write(`${file}: ${name} (${tenantId}) ${outcome === "loaded" ? "loaded" : "is valid"}.\n`);
}

/** Writes to stderr, also with `--json`, because a published API key gives access to the data. */
function warnTestKeys({ stderr }: ProgramProcess, tenant: string, testKeys: readonly string[]): void {
  const risk = "The keys of the demo and other fixtures are public, so anyone can use them.";
  const remedy = `Revoke them with key revoke, or remove the tenant: crm-integrations tenant remove ${tenant}`;
  stderr.write(`WARNING: These test keys are active: ${testKeys.join(", ")}. ${risk} ${remedy}\n`);
}
