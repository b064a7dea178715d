import type { Writable } from "node:stream";
import { createApi, type Logger, type Storage, StorageUnavailable } from "#lib";
import { type Entity, upsertFields } from "#lib/transfer";
import { command } from "../cli/command.ts";
import { Failure, UsageError } from "../cli/errors.ts";
import type { ProgramProcess } from "../cli/program-process.ts";
import { booleanSetting, enumSetting, repeatedSetting, stringSetting } from "../cli/setting.ts";
import { freeSpaceGuard, freeSpaceSettings } from "../database/free-space-guard.ts";
import { formatSettings, localeFormatSettings, parseRowOptions, requireEntity } from "../import/file-settings.ts";
import { type FileResult, importFile, resumeHint } from "../import/import-file.ts";
import { type ImportTarget, localTarget, remoteTarget } from "../import/import-target.ts";
import { remoteSettings } from "../import/remote-server.ts";
import { dryRunStorage } from "../tenants/dry-run-storage.ts";
import { tenantSettings, withTenant } from "../tenants/tenant.ts";

export const importCommand = command({
  name: "import",
  summary: "Create or update records from a CSV or NDJSON file, with the validation of the API",
  operands: "<FILE>",
  settings: {
    ...tenantSettings,
    ...formatSettings,
    map: repeatedSetting("FIELD=COLUMN", "map a column, or a text such as {First} {Last}, to a field; repeatable"),
    ignoreColumns: booleanSetting("ignore columns that don't match a field"),
    ...localeFormatSettings,
    dropInvalid: repeatedSetting(
      "FIELD",
      "import the row without the cell of FIELD if the cell is invalid; repeatable",
    ),
    upsertBy: stringSetting("FIELD", "update the record with the same name, email, externalId or id"),
    empty: enumSetting(
      ["keep", "clear"],
      "whether an empty cell keeps or clears the field of an updated record",
      "keep",
    ),
    rejected: stringSetting("FILE", "file for rejected rows (default: FILE.rejected.csv)"),
    spreadsheet: booleanSetting("unescape cells of export --spreadsheet"),
    dryRun: booleanSetting("validate every row without writing"),
    restart: booleanSetting("ignore the progress of an earlier import of this file"),
    ...remoteSettings,
    ...freeSpaceSettings,
    json: booleanSetting("print the summary as JSON"),
  },
  examples: [
    "crm-integrations import accounts.csv --entity account --map name=Company --dry-run",
    "crm-integrations import contacts.csv --entity contact --upsert-by email",
    "CRM_API_KEY=… crm-integrations import contacts.csv --entity contact --url https://crm.example.com",
  ],
  async run({ json, empty, dateFormat, decimal, trim, encoding, ...values }, [file = ""], program) {
    const started = performance.now();
    const options = {
      ...values,
      file,
      ...parseRowOptions(values),
      entity: requireEntity(values.entity),
      upsertBy: upsertFieldOf(values.upsertBy, requireEntity(values.entity)),
      locale: { dateFormat, decimal, trim, encoding },
      emptyClears: empty === "clear",
    };
    const stop = stopOnSignal(program);
    const { stderr } = program;
    const note = (text: string): void => void stderr.write(`${stderr.isTTY === true ? clearLine : ""}${text}\n`);
    const run = (target: ImportTarget) => importFile(options, target, { program, stop, note });
    const result =
      values.url === undefined
        ? await importIntoDatabase(values, program, stop, run)
        : await run(await remoteTarget(values.url, values));
    report(result, program.stdout, { json, dryRun: values.dryRun, seconds: (performance.now() - started) / 1000 });
  },
});

async function importIntoDatabase<T>(
  values: Parameters<typeof withTenant>[0] & Parameters<typeof freeSpaceGuard>[0] & { readonly dryRun: boolean },
  program: ProgramProcess,
  stop: AbortSignal,
  run: (target: ImportTarget) => Promise<T>,
): Promise<T> {
  const freeSpace = freeSpaceGuard(values);
  const logger = errorPrinter(program.stderr);
  const openApi = (storage: Storage) =>
    createApi({ storage: values.dryRun ? dryRunStorage(storage) : freeSpace.guard(storage), logger });
  return withTenant(
    values,
    program,
    (tenant) => run(localTarget(tenant, { stop, shortage: freeSpace.shortage })),
    openApi,
  );
}

/** Prints internal errors, because the error of the API only has a message for callers. */
function errorPrinter(stderr: Writable): Logger {
  return {
    error({ err }, message) {
      // The import retries these and reports them if they persist.
      if (!(err instanceof StorageUnavailable)) stderr.write(`${message}: ${(err as Error)?.stack ?? err}\n`);
    },
  };
}

/** Clears the progress bar before a message. */
const clearLine = "\r\u001b[K";

function report(
  result: FileResult,
  stdout: Writable,
  { json, dryRun, seconds }: { json: boolean; dryRun: boolean; seconds: number },
): void {
  const { counts, rows, rejectedFile = null, stopped } = result;
  const rounded = Math.round(seconds * 10) / 10;
  const summary = { ...counts, seconds: rounded, rows, dryRun, finished: stopped === undefined, rejectedFile };
  const numbers = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  const text = `${dryRun ? "Would have " : ""}${numbers.join(", ")} in ${rounded} s`;
  stdout.write(`${json ? JSON.stringify(summary) : text}\n`);
  if (stopped !== undefined) {
    throw new Failure(
      `Stopped after row ${rows}. ${dryRun || !stopped.canResume ? "The import can't be resumed." : resumeHint}`,
    );
  }
  if (counts.rejected === 0) return;
  const where =
    rejectedFile === null
      ? "Write them to a file with --rejected."
      : `See ${rejectedFile} for the rejected rows and the reasons.`;
  throw new Failure(`${counts.rejected} of ${rows} rows were rejected. ${where}`);
}

/** The first Ctrl-C finishes the current batch. The second one exits at once. */
function stopOnSignal(program: ProgramProcess): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) program.once(signal, () => stop.abort());
  return stop.signal;
}

function upsertFieldOf(text: string | undefined, entity: Entity): string | undefined {
  if (text === undefined) return undefined;
  const fields = upsertFields[entity];
  const field = fields.find((each) => each.toLowerCase() === text.toLowerCase());
  if (field !== undefined) return field;
  throw new UsageError(`--upsert-by can't be ${text} for --entity ${entity}. Supported fields: ${fields.join(", ")}.`);
}
