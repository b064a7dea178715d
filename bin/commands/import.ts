import { createApi, type Logger, overlayStorage, type Storage, StorageUnavailable } from "#lib";
import { command } from "../cli/command.ts";
import { Failure, UsageError } from "../cli/errors.ts";
import { booleanSetting, enumSetting, repeatedSetting, stringSetting } from "../cli/setting.ts";
import { freeSpaceGuard, freeSpaceSettings } from "../database/free-space-guard.ts";
import { BatchCommits } from "../import/batch-commits.ts";
import { BatchReadCache } from "../import/batch-read-cache.ts";
import { type Entity, upsertFields } from "../import/column-target.ts";
import { formatSettings, localeFormatSettings, parseRowOptions, requireEntity } from "../import/file-settings.ts";
import { type ImportResult, importFile, resumeHint } from "../import/import-file.ts";
import { formatCounts } from "../import/progress-bar.ts";
import { RowIds } from "../import/row-ids.ts";
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
    ...freeSpaceSettings,
    json: booleanSetting("print the summary as JSON"),
  },
  examples: [
    "crm-integrations import accounts.csv --entity account --map name=Company --dry-run",
    "crm-integrations import contacts.csv --entity contact --upsert-by email",
  ],
  async run({ json, empty, dateFormat, decimal, trim, encoding, ...values }, [file = ""]) {
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
    const ids = new RowIds();
    const opened: { batches?: BatchReadCache } = {};
    const freeSpace = freeSpaceGuard(values);
    const openApi = (storage: Storage) => {
      const overlay = values.dryRun ? overlayStorage(storage) : undefined;
      const commits = ids.wrapCommit(overlay ?? new BatchCommits(freeSpace.guard(storage)), options.entity);
      opened.batches = new BatchReadCache(storage, overlay ?? storage, options.entity, commits);
      return createApi({ storage: opened.batches.storage, ids: ids.newId, logger });
    };
    const stop = stopOnSignal();
    const note = (line: string): void => void process.stderr.write(`${clearLine}${line}\n`);
    const result = await withTenant(
      values,
      (tenant) => {
        const batches = opened.batches as BatchReadCache;
        return importFile(options, tenant, { batches, ids, stop, note, shortage: freeSpace.shortage });
      },
      openApi,
    );
    report(result, { json, dryRun: values.dryRun, seconds: (performance.now() - started) / 1000 });
  },
});

/** Prints internal errors, because the error of the API only has a message for callers. */
const logger: Logger = {
  error({ err }, message) {
    // The import retries these and reports them if they persist.
    if (!(err instanceof StorageUnavailable)) process.stderr.write(`${message}: ${(err as Error)?.stack ?? err}\n`);
  },
};

/** Clears the progress bar before a message. */
const clearLine = process.stderr.isTTY === true ? "\r\u001b[K" : "";

function report(
  result: ImportResult,
  { json, dryRun, seconds }: { json: boolean; dryRun: boolean; seconds: number },
): void {
  const { counts, rows, rejectedFile = null, stopped } = result;
  const rounded = Math.round(seconds * 10) / 10;
  const summary = { ...counts, seconds: rounded, rows, dryRun, finished: stopped === undefined, rejectedFile };
  const text = `${dryRun ? "Would have " : ""}${formatCounts(counts)} in ${rounded} s`;
  process.stdout.write(`${json ? JSON.stringify(summary) : text}\n`);
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
function stopOnSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
  return stop.signal;
}

function upsertFieldOf(text: string | undefined, entity: Entity): string | undefined {
  if (text === undefined) return undefined;
  const fields = upsertFields[entity];
  const field = fields.find((each) => each.toLowerCase() === text.toLowerCase());
  if (field !== undefined) return field;
  throw new UsageError(`--upsert-by can't be ${text} for --entity ${entity}. Supported fields: ${fields.join(", ")}.`);
}
