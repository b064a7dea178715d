import { createHash, randomBytes } from "node:crypto";
import type { Kind } from "#lib";
import { Failure, UsageError } from "../cli/errors.ts";
import type { OpenTenant } from "../tenants/tenant.ts";
import type { BatchReadCache } from "./batch-read-cache.ts";
import { type Columns, createTargetFinder, mapColumns, parseMapping } from "./column-mapping.ts";
import type { ColumnTarget, CustomField, Entity } from "./column-target.ts";
import { isTemplate, parseTemplates } from "./column-template.ts";
import { ImportState } from "./import-state.ts";
import { isStream, stdio } from "./input-source.ts";
import type { LocaleFormat } from "./locale-format.ts";
import { listCustomFields, listTargets } from "./model-targets.ts";
import { NdjsonKeyMapping } from "./ndjson-key-mapping.ts";
import { type OpenRows, openRows } from "./open-rows.ts";
import { processRows } from "./process-rows.ts";
import { showProgress } from "./progress-bar.ts";
import type { Counts } from "./progress-file.ts";
import type { Format, RawRow } from "./raw-row.ts";
import { type Named, ReferenceResolver } from "./reference-resolver.ts";
import { type RowIds, rowIdGenerator } from "./row-ids.ts";
import { csvRowValues, jsonRowValues, type RowValues } from "./row-values.ts";
import { RowWriter } from "./row-writer.ts";

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

/** The API must use the storage of `batches` and the IDs of `ids`. */
export type ImportTools = {
  readonly batches: BatchReadCache;
  readonly ids: RowIds;
  readonly stop: AbortSignal;
  /** Returns an error message if the disk space is low, else undefined. */
  readonly shortage: () => string | undefined;
  /** Prints a line that isn't part of the result. */
  readonly note: (line: string) => void;
};

export type ImportResult = {
  readonly counts: Counts;
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

/** Rejected rows that are printed. The file has all of them. */
const maxPrinted = 10;

/** Imports a file into a tenant. @throws UsageError before the first row @throws Failure */
export async function importFile(
  options: ImportOptions,
  tenant: OpenTenant,
  tools: ImportTools,
): Promise<ImportResult> {
  const { file, dryRun, restart, rejected, entity, upsertBy, emptyClears, map, ignoreColumns, spreadsheet } = options;
  const { tenantId, api } = tenant;
  const prepared = await prepareFile(options, await listCustomFields(tenant, entity), tools);
  const { source, validated, columns } = prepared;
  const mappingOptions = {
    map,
    ignoreColumns,
    upsertBy: upsertBy ?? null,
    emptyClears,
    spreadsheet,
    locale: options.locale,
    dropInvalid: options.dropInvalid,
    delimiter: source.delimiter,
  };
  const about = validated && { sha256: validated.sha256, tenantId, entity, ...mappingOptions };
  const state = new ImportState({
    file: validated === undefined ? stdio : file,
    rejected,
    dryRun,
    restart,
    source,
    about,
  });
  const start = state.begin();
  if (start.isResumed) tools.note(`Resuming after row ${start.rows}.`);
  const { storage } = tools.batches;
  const references = new ReferenceResolver(
    async (kind, query) => (await storage.list(tenantId, kind as Kind, query)) as unknown as readonly Named[],
  );
  const columnNames = columns?.columnNames ?? new Map();
  const writer = new RowWriter({
    api,
    storage,
    tenantId,
    entity,
    ids: tools.ids,
    references,
    upsertBy,
    emptyClears,
    dropInvalid: prepared.dropInvalid,
    columnNames,
  });
  const contentId = validated?.sha256 ?? randomBytes(16).toString("hex");
  const progress = showProgress(dryRun ? "checking" : "importing", validated?.rows);
  let printed = 0;
  try {
    const { rows, counts, isComplete, alreadyCreated } = await processRows({
      rows: source.rows,
      toValues: prepared.toValues,
      writer,
      idOf: rowIdGenerator([tenantId, entity, contentId, start.nonce]),
      from: start.rows,
      counts: start.counts,
      isResumed: start.isResumed,
      isStopped: () => tools.stop.aborted,
      shortage: tools.shortage,
      resumeHint: state.canResume ? resumeHint : "Imported rows remain. The import can't be resumed.",
      onBatch: () => tools.batches.nextBatch(),
      onDropped(row, messages) {
        tools.note(`line ${row.line}: imported without invalid cells: ${messages.join(" ")}`);
      },
      onRejected(row, errors) {
        state.reject(row, errors);
        printed += 1;
        if (printed <= maxPrinted) tools.note(`line ${row.line}: ${errors.join(" ")}`);
      },
      onDone(rows, counts) {
        state.done(rows, counts);
        progress.update(rows, counts.rejected);
      },
    });
    if (isComplete) {
      assertSameRowCount(file, validated?.rows ?? rows, rows);
      state.finish();
    }
    if (isComplete && rows > 0 && prepared.missing().length > 0) tools.note(missingKeysMessage(prepared.missing()));
    if (alreadyCreated > 0 && !start.isResumed)
      tools.note(
        `Rows that an earlier import of this file created: ${alreadyCreated}. Use --restart to create them again.`,
      );
    const { rejectedFile, canResume } = state;
    return { counts, rows, rejectedFile, stopped: isComplete ? undefined : { canResume } };
  } finally {
    progress.end();
    state.close();
  }
}

/** Opens a file and validates its format. A file that can be read twice is validated to its end before any write. */
async function prepareFile(
  options: ImportOptions,
  catalog: readonly CustomField[],
  { note, stop }: ImportTools,
): Promise<PreparedFile> {
  const targets = listTargets(options.entity, catalog, options.upsertBy);
  const find = createTargetFinder(targets);
  const dropInvalid = options.dropInvalid.map((name) => {
    const target = find(name);
    if (target === undefined || target.valueType === "readOnly")
      throw new UsageError(`--drop-invalid ${name}: unknown field.`);
    return target.name;
  });
  const mapping = parseMapping(
    options.map.filter((map) => !isTemplate(map)),
    targets,
  );
  const hash = createHash("sha256");
  const rowOptions = { ...options, encoding: options.locale.encoding };
  const first = await openRows(options.file, rowOptions, { stop, tap: (bytes) => hash.update(bytes) });
  const templates = parseTemplates(options.map.filter(isTemplate), targets, first.header);
  const columns =
    first.header && mapColumns(first.header, targets, { mapping, templates, ignoreColumns: options.ignoreColumns });
  if (columns !== undefined) assertRequiredColumns(columns, targets, options);
  if (columns !== undefined && columns.readOnlyNames.length > 0)
    note(`Ignored read-only columns: ${columns.readOnlyNames.join(", ")}.`);
  const keys = new NdjsonKeyMapping(targets, mapping, options.ignoreColumns);
  const toValues = (row: RawRow): RowValues =>
    columns === undefined ? jsonRowValues(row, keys) : csvRowValues(row, columns, options.spreadsheet, options.locale);
  const missing = (): readonly string[] => (columns === undefined ? keys.missing : []);
  if (isStream(options.file)) return { source: first, validated: undefined, columns, dropInvalid, toValues, missing };
  let rows = 0;
  for await (const row of first.rows) {
    rows += 1;
    if (missing().length > 0) toValues(row);
    if (stop.aborted) throw new Failure("Stopped during validation. Nothing was written.");
  }
  if (rows > 0 && missing().length > 0) throw new UsageError(missingKeysMessage(missing()));
  const source = await openRows(options.file, rowOptions, { stop });
  return { source, validated: { sha256: hash.digest("hex"), rows }, columns, dropInvalid, toValues, missing };
}

function missingKeysMessage(columns: readonly string[]): string {
  return columns.map((column) => `No row has the column "${column}" of --map.`).join("\n  ");
}

/** @throws Failure if the number of rows changed since the validation */
function assertSameRowCount(file: string, before: number, now: number): void {
  if (before === now) return;
  throw new Failure(
    `${file} changed during the import: ${before} rows at validation, ${now} at import. Import it again when no program writes to it.`,
  );
}

/** @throws UsageError if a column is missing that every row needs */
function assertRequiredColumns(
  { targets, templates }: Columns,
  all: readonly ColumnTarget[],
  { upsertBy, entity }: ImportOptions,
): void {
  const names = [...targets, ...templates.map(({ target }) => target)].map((target) => target?.name);
  if (upsertBy !== undefined && !names.includes(upsertBy))
    throw new UsageError(
      `--upsert-by ${upsertBy} requires a column for ${upsertBy}. Map it with --map ${upsertBy}=COLUMN.`,
    );
  const missing = all.filter(({ name, required }) => required === true && !names.includes(name));
  if (upsertBy !== undefined || missing.length === 0) return;
  const [{ name } = { name: "" }] = missing;
  throw new UsageError(`No column for the required field ${name} of ${entity}. Map it with --map ${name}=COLUMN.`);
}
