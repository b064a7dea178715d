import { createHash, randomBytes } from "node:crypto";
import { Failure, UsageError } from "../cli/errors.ts";
import type { OpenTenant } from "../tenants/tenant.ts";
import type { BatchStorage } from "./batch-storage.ts";
import { catalogOf } from "./catalog.ts";
import { type Columns, columnsOf, mappingOf } from "./columns.ts";
import { ImportState } from "./import-state.ts";
import { MappedKeys } from "./mapped-keys.ts";
import { processRows } from "./process-rows.ts";
import { showProgress } from "./progress-bar.ts";
import type { Counts } from "./progress-file.ts";
import { References } from "./references.ts";
import { idsOf, type RowIds } from "./row-ids.ts";
import { csvRowValues, jsonRowValues, type RowValues } from "./row-values.ts";
import { RowWriter } from "./row-writer.ts";
import { type Format, type OpenRows, openRows, type RawRow } from "./rows.ts";
import { isStream, standard } from "./source.ts";
import { type CatalogEntry, type Entity, type Target, targetsOf } from "./target.ts";

export type ImportOptions = {
  /** A path, or `-` for standard input; what is no file is read as that is. */
  readonly file: string;
  readonly entity: Entity;
  readonly format: Format | undefined;
  readonly delimiter: string | undefined;
  readonly map: readonly string[];
  readonly ignoreColumns: boolean;
  readonly upsertBy: string | undefined;
  readonly emptyClears: boolean;
  /** Whether cells were kept from spreadsheets by a ' before them. */
  readonly spreadsheet: boolean;
  readonly rejected: string | undefined;
  readonly dryRun: boolean;
  readonly restart: boolean;
};

/** The API must stand on the storage of `batches`, and take its ids from `ids`. */
export type ImportTools = {
  readonly batches: BatchStorage;
  readonly ids: RowIds;
  readonly stop: AbortSignal;
  /** What is said where the disk has too little room for more; undefined while it has enough. */
  readonly shortage: () => string | undefined;
  /** Tells the user something that is not a result. */
  readonly note: (line: string) => void;
};

export type ImportResult = {
  readonly counts: Counts;
  readonly rows: number;
  /** Undefined where all rows are done; else whether the same command goes on. */
  readonly stopped: { readonly canGoOn: boolean } | undefined;
  readonly rejectedFile: string | undefined;
};

/** A file as it will be read, and how its rows become drafts. */
type Layout = {
  readonly source: OpenRows;
  /** Undefined where the file cannot be read twice. */
  readonly examined: { readonly sha256: string; readonly rows: number } | undefined;
  readonly columns: Columns | undefined;
  readonly draftOf: (row: RawRow) => RowValues;
  /** Of NDJSON: columns that are led to a field, and that no row so far has had. */
  readonly missing: () => readonly string[];
};

/** How an import that was stopped is gone on with. */
export const resumeHint = "Run the same command again to go on.";

/** Reasons that are shown at once; the file has all of them. */
const shownMax = 10;

/** Imports a file for a tenant. @throws Failure @throws UsageError where nothing was begun */
export async function importFile(asked: ImportOptions, opened: OpenTenant, tools: ImportTools): Promise<ImportResult> {
  const { file, dryRun, restart, rejected, entity, upsertBy, emptyClears, map, ignoreColumns, spreadsheet } = asked;
  const { tenantId, api } = opened;
  const layout = await layoutOf(asked, await catalogOf(opened, entity), tools);
  const { source, examined, columns } = layout;
  const options = {
    map,
    ignoreColumns,
    upsertBy: upsertBy ?? null,
    emptyClears,
    spreadsheet,
    delimiter: source.delimiter,
  };
  const about = examined && { sha256: examined.sha256, tenantId, entity, ...options };
  const track = new ImportState({
    file: examined === undefined ? standard : file,
    rejected,
    dryRun,
    restart,
    source,
    about,
  });
  const begun = track.begin();
  if (begun.isResumed) tools.note(`Going on after row ${begun.rows}.`);
  const { storage } = tools.batches;
  const references = new References(storage, tenantId);
  const called = columns?.called ?? new Map();
  const writer = new RowWriter({
    api,
    storage,
    tenantId,
    entity,
    ids: tools.ids,
    references,
    upsertBy,
    emptyClears,
    called,
  });
  const content = examined?.sha256 ?? randomBytes(16).toString("hex");
  const shown = showProgress(dryRun ? "checking" : "importing", examined?.rows);
  let told = 0;
  try {
    const { rows, counts, isWhole, madeBefore } = await processRows({
      rows: source.rows,
      draftOf: layout.draftOf,
      writer,
      idOf: idsOf([tenantId, entity, content, begun.nonce]),
      from: begun.rows,
      counts: begun.counts,
      isResumed: begun.isResumed,
      isStopped: () => tools.stop.aborted,
      shortage: tools.shortage,
      resumeHint: track.canGoOn ? resumeHint : "What went in stays, and nothing is kept to go on with.",
      onBatch: () => tools.batches.nextBatch(),
      onRejected(row, errors) {
        track.reject(row, errors);
        told += 1;
        if (told <= shownMax) tools.note(`line ${row.line}: ${errors.join(" ")}`);
      },
      onDone(rows, counts) {
        track.done(rows, counts);
        shown.at(rows, counts.rejected);
      },
    });
    if (isWhole) {
      assertReadAlike(file, examined?.rows ?? rows, rows);
      track.finish();
    }
    if (isWhole && rows > 0 && layout.missing().length > 0) tools.note(missingWords(layout.missing()));
    if (madeBefore > 0 && !begun.isResumed)
      tools.note(`Rows that were imported before, from this same file: ${madeBefore}. --restart makes them again.`);
    const { rejectedFile, canGoOn } = track;
    return { counts, rows, rejectedFile, stopped: isWhole ? undefined : { canGoOn } };
  } finally {
    shown.end();
    track.close();
  }
}

/** Reads a file once to its end, where that can be done: what cannot be read is told before anything is written. */
async function layoutOf(
  asked: ImportOptions,
  catalog: readonly CatalogEntry[],
  { note, stop }: ImportTools,
): Promise<Layout> {
  const targets = targetsOf(asked.entity, catalog);
  const mapping = mappingOf(asked.map, targets);
  const hash = createHash("sha256");
  const first = await openRows(asked.file, asked, { stop, tap: (bytes) => hash.update(bytes) });
  const columns = first.head && columnsOf(first.head, targets, { mapping, ignoreColumns: asked.ignoreColumns });
  if (columns !== undefined) assertEnough(columns, targets, asked);
  if (columns !== undefined && columns.shownOnly.length > 0)
    note(`Left out, because the service sets it: ${columns.shownOnly.join(", ")}.`);
  const keys = new MappedKeys(targets, mapping, asked.ignoreColumns);
  const draftOf = (row: RawRow): RowValues =>
    columns === undefined ? jsonRowValues(row, keys) : csvRowValues(row, columns, asked.spreadsheet);
  const missing = (): readonly string[] => (columns === undefined ? keys.missing : []);
  if (isStream(asked.file)) return { source: first, examined: undefined, columns, draftOf, missing };
  let rows = 0;
  for await (const row of first.rows) {
    rows += 1;
    if (missing().length > 0) draftOf(row);
    if (stop.aborted) throw new Failure("Stopped while the file was looked through: nothing was written.");
  }
  if (rows > 0 && missing().length > 0) throw new UsageError(missingWords(missing()));
  const source = await openRows(asked.file, asked, { stop });
  return { source, examined: { sha256: hash.digest("hex"), rows }, columns, draftOf, missing };
}

function missingWords(columns: readonly string[]): string {
  return columns.map((column) => `--map names a column "${column}" that no row has.`).join("\n  ");
}

/** @throws Failure where a file had other rows when it was looked through than now */
function assertReadAlike(file: string, before: number, now: number): void {
  if (before === now) return;
  throw new Failure(
    `${file} had ${before} rows when it was looked through, and ${now} when they were imported. Import it again once nobody writes to it.`,
  );
}

/** @throws UsageError where not one row could go in */
function assertEnough({ targets }: Columns, all: readonly Target[], { upsertBy, entity }: ImportOptions): void {
  const names = targets.map((target) => target?.name);
  if (upsertBy !== undefined && !names.includes(upsertBy))
    throw new UsageError(
      `--upsert-by ${upsertBy} needs a column that leads to ${upsertBy}. Name it with --map ${upsertBy}=COLUMN.`,
    );
  const lacking = all.filter(({ name, required }) => required === true && !names.includes(name));
  if (upsertBy !== undefined || lacking.length === 0) return;
  const [{ name } = { name: "" }] = lacking;
  throw new UsageError(`No column leads to ${name}, which every ${entity} needs. Name it with --map ${name}=COLUMN.`);
}
