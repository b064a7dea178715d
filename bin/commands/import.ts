import { createApi, type Logger, type Storage, StorageUnavailable } from "#lib";
import { command } from "../cli/command.ts";
import { booleanSetting, enumSetting, repeatedSetting, stringSetting } from "../cli/setting.ts";
import { Failure, UsageError } from "../cli/usage.ts";
import { freeSpaceGuard, freeSpaceSettings } from "../database/free-space.ts";
import { BatchCommits } from "../import/batch-commits.ts";
import { BatchStorage } from "../import/batch-storage.ts";
import { dryRunStorage } from "../import/dry-run-storage.ts";
import { entityOf, formatSettings, rowsAsked } from "../import/file-settings.ts";
import { type ImportResult, importFile, resumeHint } from "../import/import-file.ts";
import { countsText } from "../import/progress-bar.ts";
import { RowIds } from "../import/row-ids.ts";
import type { Entity } from "../import/target.ts";
import { tenantSettings, withTenant } from "../tenants/tenant.ts";

/** By what a row can find the record that it changes. */
const upsertFields: Readonly<Record<Entity, readonly string[]>> = {
  account: ["name", "externalId"],
  contact: ["email", "externalId"],
  opportunity: ["externalId"],
  task: [],
};

export const importCommand = command({
  name: "import",
  summary: "Make or change records from the rows of a CSV or NDJSON file, with the checks of the API",
  operands: "<FILE>",
  settings: {
    ...tenantSettings,
    ...formatSettings,
    map: repeatedSetting("FIELD=COLUMN", "leads a column to a field of another name; may be repeated"),
    ignoreColumns: booleanSetting("leave out columns that lead to no field"),
    upsertBy: stringSetting("FIELD", "change the record that has the row's name, email or externalId, if there is one"),
    empty: enumSetting(["keep", "clear"], "what an empty cell does to a record that is changed", "keep"),
    rejected: stringSetting("FILE", "where rejected rows go (default: FILE.rejected.csv)"),
    spreadsheet: booleanSetting("take off the ' that export --spreadsheet has put before cells"),
    dryRun: booleanSetting("check every row and write nothing"),
    restart: booleanSetting("import again what was imported or interrupted before"),
    ...freeSpaceSettings,
    json: booleanSetting("the summary as JSON"),
  },
  examples: [
    "crm-integrations import accounts.csv --entity account --map name=Company --dry-run",
    "crm-integrations import contacts.csv --entity contact --upsert-by email",
  ],
  async run({ json, empty, ...values }, [file = ""]) {
    const started = performance.now();
    const asked = {
      ...values,
      file,
      ...rowsAsked(values),
      entity: entityOf(values.entity),
      upsertBy: upsertFieldOf(values.upsertBy, entityOf(values.entity)),
      emptyClears: empty === "clear",
    };
    const ids = new RowIds();
    const made: { batches?: BatchStorage } = {};
    const room = freeSpaceGuard(values);
    const openApi = (storage: Storage) => {
      const base = values.dryRun ? dryRunStorage(storage, asked.entity, asked.upsertBy) : room.over(storage);
      const commits = values.dryRun ? base : new BatchCommits(base);
      made.batches = new BatchStorage(base, asked.entity, ids.commits(commits, asked.entity));
      return createApi({ storage: made.batches.storage, ids: ids.newId, logger });
    };
    const stop = stopOnSignal();
    const note = (line: string): void => void process.stderr.write(`${clearLine}${line}\n`);
    const done = await withTenant(
      values,
      (opened) => {
        const batches = made.batches as BatchStorage;
        return importFile(asked, opened, { batches, ids, stop, note, shortage: room.shortage });
      },
      openApi,
    );
    report(done, { json, dryRun: values.dryRun, seconds: (performance.now() - started) / 1000 });
  },
});

/** A fault of ours ends the import, and its message is for callers: here stands what it was. */
const logger: Logger = {
  error({ err }, message) {
    // That is waited for, and told where it lasts.
    if (!(err instanceof StorageUnavailable)) process.stderr.write(`${message}: ${(err as Error)?.stack ?? err}\n`);
  },
};

/** The bar stands on the last line of a terminal, and comes back on the next. */
const clearLine = process.stderr.isTTY === true ? "\r\u001b[K" : "";

function report(
  done: ImportResult,
  { json, dryRun, seconds }: { json: boolean; dryRun: boolean; seconds: number },
): void {
  const { counts, rows, rejectedFile = null, stopped } = done;
  const rounded = Math.round(seconds * 10) / 10;
  const summary = { ...counts, seconds: rounded, rows, dryRun, finished: stopped === undefined, rejectedFile };
  const text = `${dryRun ? "Would have " : ""}${countsText(counts)} in ${rounded} s`;
  process.stdout.write(`${json ? JSON.stringify(summary) : text}\n`);
  if (stopped !== undefined) {
    throw new Failure(
      `Stopped after row ${rows}. ${dryRun || !stopped.canGoOn ? "Nothing is kept to go on with." : resumeHint}`,
    );
  }
  if (counts.rejected === 0) return;
  const where =
    rejectedFile === null
      ? "Name a file for them with --rejected."
      : `They stand in ${rejectedFile}, each with its reasons.`;
  throw new Failure(`${counts.rejected} of ${rows} rows were rejected. ${where}`);
}

/** The first Ctrl-C lets what was begun be finished; a second one ends the program at once. */
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
  const can = fields.length === 0 ? "Nothing tells tasks apart." : `It can be: ${fields.join(", ")}.`;
  throw new UsageError(`--upsert-by ${text} cannot find ${entity === "account" ? "an" : "a"} ${entity}. ${can}`);
}
