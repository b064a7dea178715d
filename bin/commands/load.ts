import { buffer } from "node:stream/consumers";
import { type Storage, systemClock, uuidV7 } from "#lib";
import { checkTenantFile, loadTenantFile, TenantFileError } from "#lib/tenant-file";
import { parseNamedTenantFile, readTenantFiles } from "#lib/testing";
import { command } from "../cli/command.ts";
import { maskKeys } from "../cli/mask.ts";
import { booleanSetting } from "../cli/setting.ts";
import { Failure } from "../cli/usage.ts";
import { databaseFile, dataDefault, isThere } from "../database/data-folder.ts";
import { databaseSettings, openStorage } from "../database/database.ts";
import { freeSpaceGuard, freeSpaceSettings } from "../database/free-space.ts";

/** What became of one tenant file. */
type Outcome = {
  readonly file: string;
  readonly outcome: "loaded" | "would be loaded" | "there already" | "refused";
  readonly tenantId?: string;
  readonly name?: string;
  readonly message?: string;
  /** The active test keys of a loaded file, masked. */
  readonly testKeys?: readonly string[];
  readonly errors?: readonly { readonly path: string; readonly code: string; readonly message: string }[];
};

const tools = { clock: systemClock, newId: () => uuidV7(Date.now()) };

export const loadCommand = command({
  name: "load",
  summary: "Load tenants from tenant files",
  details:
    "- is stdin. Each is loaded whole or not at all; a tenant that is there already is left as it is, which counts as a failure.",
  operands: "<FILE...>",
  settings: {
    ...databaseSettings,
    dryRun: booleanSetting("write nothing; say all that is wrong"),
    skipExisting: booleanSetting("a tenant that is there already is no failure"),
    ...freeSpaceSettings,
    json: booleanSetting("as JSON: a list of file, outcome, tenantId, name, testKeys, errors"),
  },
  examples: [
    "crm-integrations load acme.json",
    "crm-integrations load acme.json other.json --dry-run",
    "crm-integrations dump --data old | crm-integrations load - --data new",
  ],
  async run({ data, database, dryRun, skipExisting, minFreeMb, json }, files) {
    const room = freeSpaceGuard({ data, database, minFreeMb });
    let storage: Storage | undefined;
    const open = async (): Promise<Storage> => {
      storage ??= room.over((await openStorage({ data, database }, { make: true })).storage);
      return storage;
    };
    // For a look whether a file is good, and for one that is not, no database is made.
    if (database !== undefined || isThere(databaseFile(data ?? dataDefault))) await open();
    const outcomes: Outcome[] = [];
    for (const name of files) {
      outcomes.push(...(await outcomesOf(name, (content) => loaded(content, storage, dryRun ? undefined : open))));
    }
    await storage?.close();
    if (json) process.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
    else for (const outcome of outcomes) tell(outcome);
    for (const { tenantId, testKeys = [] } of outcomes) if (testKeys.length > 0) warnOf(tenantId, testKeys);
    const failed = outcomes.filter(({ outcome }) => {
      return outcome === "refused" || (outcome === "there already" && !skipExisting);
    });
    if (failed.length > 0) throw new Failure(`${failed.length} of ${outcomes.length} were not loaded.`);
  },
});

/** What becomes of the file of this name, or of the several that a name stands for. */
async function outcomesOf(
  name: string,
  load: (content: unknown) => Promise<Omit<Outcome, "file">>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let file = name;
  try {
    const found = name === "-" ? [parseNamedTenantFile("stdin", await buffer(process.stdin))] : readTenantFiles(name);
    for (const each of found) {
      file = each.name;
      outcomes.push({ file, ...(await load(each.content)) });
    }
  } catch (error) {
    if (!(error instanceof TenantFileError)) throw error;
    const errors = error.findings.map(({ problem: { path, code, message } }) => ({ path, code, message }));
    outcomes.push({ file, outcome: "refused", message: error.message.split("\n")[0] ?? "", errors });
  }
  return outcomes;
}

/** Only looks where nothing may be opened. */
async function loaded(
  content: unknown,
  storage: Storage | undefined,
  open: (() => Promise<Storage>) | undefined,
): Promise<Omit<Outcome, "file">> {
  if (open === undefined || storage === undefined) {
    const { isThere, tenantId, name } = await checkTenantFile(storage, content, tools);
    if (open === undefined) return { outcome: isThere ? "there already" : "would be loaded", tenantId, name };
  }
  const { created, tenantId, name, keys } = await loadTenantFile(await open(), content, tools);
  if (!created) return { outcome: "there already", tenantId, name };
  const testKeys = keys
    .filter(({ key, revoked }) => !revoked && key.startsWith("crm_test_"))
    .map(({ key }) => maskKeys(key));
  return { outcome: "loaded", tenantId, name, ...(testKeys.length === 0 ? {} : { testKeys }) };
}

function tell({ file, outcome, tenantId, name, message, errors = [] }: Outcome): void {
  if (outcome === "refused") {
    const lines = errors.map((error) => `  ${error.path || "/"}: ${error.message}`);
    // What cannot be read or parsed is named in the message already.
    const head = errors.length === 0 ? message : `${file}: ${message}`;
    process.stderr.write(`${[head, ...lines].join("\n")}\n`);
  } else if (outcome === "there already") {
    const way = "Nothing was changed: a tenant file makes a tenant, it does not change one.";
    process.stderr.write(`${file}: the tenant ${tenantId} (${name}) is there already. ${way}\n`);
  } else process.stdout.write(`${file}: ${name} (${tenantId}) ${outcome === "loaded" ? "was" : "would be"} loaded.\n`);
}

/** Writes to stderr, also with `--json`, because a published API key gives access to the data. */
function warnOf(tenantId: string | undefined, testKeys: readonly string[]): void {
  const risk = "The keys of the demo and other fixtures are published, so anyone can use them.";
  const way = `Revoke them with key revoke, or remove the tenant: crm-integrations tenant remove ${tenantId}`;
  process.stderr.write(`WARNING: These test keys work now: ${testKeys.join(", ")}. ${risk} ${way}\n`);
}
