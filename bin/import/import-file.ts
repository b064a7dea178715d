import { createHash, randomBytes } from "node:crypto";
import {
  type Columns,
  type CustomField,
  createKeyMapping,
  createTargetFinder,
  csvRowValues,
  decodeText,
  type Entity,
  type Format,
  formatByName,
  type ImportCounts,
  isWritable,
  jsonRowValues,
  type LocaleFormat,
  listCustomFields,
  mapColumns,
  messagesOf,
  type OpenRows,
  openRows,
  ProblemGroups,
  parseMapping,
  parseTemplates,
  type RawRow,
  type RowValues,
  recordFinder,
  runImport,
} from "#lib/transfer";
import { Failure, UsageError } from "../cli/errors.ts";
import type { ProgramProcess } from "../cli/program-process.ts";
import { ImportState } from "./import-state.ts";
import type { ImportTarget } from "./import-target.ts";
import { displayName, InputStopped, isStream, readBytes, stdio } from "./input-source.ts";
import { showProgress } from "./progress-bar.ts";
import { reasonLines } from "./reasons.ts";
import { assertRequiredColumns, listTargets } from "./targets.ts";

export type ImportOptions = {
  /** A path, or `-` for stdin. */
  readonly file: string;
  readonly entity: Entity;
  readonly format: Format | undefined;
  readonly delimiter: string | undefined;
  readonly map: readonly string[];
  readonly ignoreColumns: boolean;
  readonly upsertBy: string | undefined;
  readonly emptyClears: boolean;
  /** Whether cells were escaped by `export --spreadsheet`. */
  readonly spreadsheet: boolean;
  readonly rejected: string | undefined;
  readonly locale: LocaleFormat;
  /** Fields whose invalid cells are omitted. */
  readonly dropInvalid: readonly string[];
  readonly dryRun: boolean;
  readonly restart: boolean;
};

export type ImportTools = {
  readonly program: ProgramProcess;
  readonly stop: AbortSignal;
  /** Prints a line that isn't part of the result. */
  readonly note: (line: string) => void;
};

export type FileResult = {
  readonly counts: ImportCounts;
  readonly rows: number;
  /** Undefined if all rows are completed. */
  readonly stopped: { readonly canResume: boolean } | undefined;
  readonly rejectedFile: string | undefined;
};

/** An open file and the mapping of its rows. */
type PreparedFile = {
  readonly source: OpenRows;
  /** Undefined if the file can be read only once. */
  readonly validated: { readonly sha256: string; readonly rows: number } | undefined;
  readonly columns: Columns | undefined;
  /** Names of targets. */
  readonly dropInvalid: readonly string[];
  readonly toValues: (row: RawRow) => RowValues;
  /** NDJSON: mapped keys that no row had so far. */
  readonly missing: () => readonly string[];
};

export const resumeHint = "Run the same command again to resume.";

/** Imports a file. @throws UsageError before the first row @throws Failure */
export async function importFile(
  options: ImportOptions,
  target: ImportTarget,
  tools: ImportTools,
): Promise<FileResult> {
  const { program, stop, note } = tools;
  const { file, dryRun, entity, upsertBy, emptyClears } = options;
  const prepared = await prepareFile(options, await listCustomFields(target.request, entity), tools);
  const { source, validated, columns } = prepared;
  const state = openState(options, prepared, target.tenantId);
  const { isResumed, ...start } = state.begin();
  if (isResumed) note(`Resuming after row ${start.rows}.`);
  const contentId = validated?.sha256 ?? randomBytes(16).toString("hex");
  const progress = showProgress(program, dryRun ? "checking" : "importing", validated?.rows);
  const [rejectedRows, droppedCells] = [new ProblemGroups(0), new ProblemGroups(0)];
  const input = endQuietly(source.rows);
  try {
    const { rows, counts, isComplete, alreadyCreated } = await runImport(input.rows, {
      parse: prepared.toValues,
      send: target.sender(entity, [contentId, start.nonce]),
      find: recordFinder(target.request),
      options: {
        ...{ entity, upsertBy, emptyClears, dropInvalid: prepared.dropInvalid, batchSize: target.batchSize },
        columnNames: columns?.columnNames ?? new Map(),
        dryRun: dryRun && !target.seesDryRun,
        ...(isResumed ? { start } : {}),
      },
      signal: stop,
      onProgress({ rows, counts, rejected, dropped }) {
        for (const { row, errors } of rejected) state.reject(row, messagesOf(errors));
        for (const each of rejected) rejectedRows.add(each);
        for (const each of dropped) droppedCells.add(each);
        state.done(rows, counts);
        progress.update(rows, counts.rejected);
      },
    });
    const isDone = isComplete && !input.isStopped();
    if (isDone) {
      assertUnchanged(file, validated?.rows ?? rows, rows);
      state.finish();
    }
    if (isDone && rows > 0 && prepared.missing().length > 0) note(missingKeysMessage(prepared.missing()));
    if (alreadyCreated > 0)
      note(`Rows that an earlier import of this file created: ${alreadyCreated}. Use --restart to create them again.`);
    const { rejectedFile, canResume } = state;
    return { counts, rows, rejectedFile, stopped: isDone ? undefined : { canResume } };
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof ChangedFile) throw error;
    throw new Failure(
      `${error.message} ${state.canResume ? resumeHint : "Imported rows remain. The import can't be resumed."}`,
    );
  } finally {
    progress.end();
    state.close();
    for (const line of reasonLines(droppedCells, "Imported without invalid cells:", "cell")) note(line);
    for (const line of reasonLines(rejectedRows, "Rejected:", "row")) note(line);
  }
}

/** The progress belongs to the file, the tenant and the options. */
function openState(options: ImportOptions, { source, validated }: PreparedFile, tenantId: string): ImportState {
  const { file, dryRun, restart, rejected, entity, upsertBy = null } = options;
  const { map, ignoreColumns, emptyClears, spreadsheet, locale, dropInvalid } = options;
  const mapping = { map, ignoreColumns, upsertBy, emptyClears, spreadsheet, locale, dropInvalid };
  const about = validated && { sha256: validated.sha256, tenantId, entity, ...mapping, delimiter: source.delimiter };
  return new ImportState({ file: validated === undefined ? stdio : file, rejected, dryRun, restart, source, about });
}

class ChangedFile extends Failure {}

/** @throws Failure if the number of rows changed since the validation */
function assertUnchanged(file: string, before: number, now: number): void {
  if (before === now) return;
  throw new ChangedFile(
    `${file} changed during the import: ${before} rows at validation, ${now} at import. Import it again when no program writes to it.`,
  );
}

/** Ends the rows if the import is stopped while it waits for input. */
function endQuietly(rows: AsyncIterable<RawRow>): { rows: AsyncIterable<RawRow>; isStopped(): boolean } {
  let isStopped = false;
  async function* all(): AsyncGenerator<RawRow> {
    try {
      yield* rows;
    } catch (error) {
      if (!(error instanceof InputStopped)) throw error;
      isStopped = true;
    }
  }
  return { rows: all(), isStopped: () => isStopped };
}

/** Opens a file and validates its format. A file that can be read twice is validated to its end before any write. */
async function prepareFile(
  options: ImportOptions,
  catalog: readonly CustomField[],
  { note, stop, program }: ImportTools,
): Promise<PreparedFile> {
  const { file, entity, map, ignoreColumns, delimiter, format, spreadsheet, locale } = options;
  const targets = listTargets(entity, catalog, options.upsertBy);
  const find = createTargetFinder(targets);
  const dropInvalid = options.dropInvalid.map((name) => {
    const target = find(name);
    if (target === undefined || !isWritable(target)) throw new UsageError(`--drop-invalid ${name}: unknown field.`);
    return target.name;
  });
  const mapping = parseMapping(map, targets);
  const hash = createHash("sha256");
  const name = displayName(file);
  const open = (tap?: (bytes: Uint8Array) => void) => {
    const text = decodeText(readBytes(file, program.stdin, stop, tap), { name, encoding: locale.encoding });
    return openRows(text, { name, delimiter, format: format ?? formatByName(file) });
  };
  const first = await open((bytes) => hash.update(bytes));
  const templates = parseTemplates(map, targets, first.header);
  const columns = first.header && mapColumns(first.header, targets, { mapping, templates, ignoreColumns, entity });
  if (columns !== undefined) assertRequiredColumns(columns, targets, options);
  if (columns !== undefined && columns.readOnlyNames.length > 0)
    note(`Ignored read-only columns: ${columns.readOnlyNames.join(", ")}.`);
  const keys = createKeyMapping(targets, mapping, ignoreColumns);
  const toValues = (row: RawRow): RowValues =>
    columns === undefined ? jsonRowValues(row, keys) : csvRowValues(row, columns, spreadsheet, locale);
  const missing = (): readonly string[] => (columns === undefined ? keys.missing() : []);
  const mapped = { columns, dropInvalid, toValues, missing };
  if (isStream(file)) return { source: first, validated: undefined, ...mapped };
  let rows = 0;
  for await (const row of first.rows) {
    rows += 1;
    if (missing().length > 0) toValues(row);
    if (stop.aborted) throw new Failure("Stopped during validation. Nothing was written.");
  }
  if (rows > 0 && missing().length > 0) throw new UsageError(missingKeysMessage(missing()));
  return { source: await open(), validated: { sha256: hash.digest("hex"), rows }, ...mapped };
}

function missingKeysMessage(columns: readonly string[]): string {
  return columns.map((column) => `No row has the column "${column}" of --map.`).join("\n  ");
}
