import { buildBody } from "./build-body.ts";
import { uniqueFields } from "./entities.ts";
import type {
  ImportItem,
  ImportOperation,
  ImportOptions,
  ImportProgress,
  RowProblem,
  SendBatch,
} from "./import-types.ts";
import { type RecordFinder, ReferenceResolver } from "./reference-resolver.ts";
import { comparisonKey, type ParsedRow } from "./row-batches.ts";
import { type ApiFailure, describeFailure, type RowError } from "./row-errors.ts";
import type { TargetValue } from "./row-values.ts";

type ExistingRecord = Readonly<Record<string, unknown>> & { readonly id: string };

/** A row whose references are IDs. */
type PreparedRow = {
  readonly source: ParsedRow;
  readonly pairs: readonly TargetValue[];
  /** The record to update, if the body depends on it. */
  readonly before: ExistingRecord | undefined;
  readonly errors: readonly RowError[];
  /** Errors of the cells that are omitted. */
  readonly dropped: readonly RowError[];
};

/** The items of sent rows. */
type Items = ReadonlyMap<PreparedRow, ImportItem>;

/** The results of the rows of a batch. */
type BatchResult = Omit<ImportProgress, "rows"> & {
  /** Unchanged rows whose records an earlier import of the file created. */
  readonly alreadyCreated: number;
};

/** Imports batches of rows. */
export class RowImporter {
  readonly #send: SendBatch;
  readonly #find: RecordFinder;
  readonly #options: ImportOptions;
  readonly #references: ReferenceResolver;
  /** Rows by unique value. A dry run writes nothing, so that the API doesn't see the rows of earlier batches. */
  readonly #earlier = new Map<string, ParsedRow>();

  constructor(send: SendBatch, find: RecordFinder, options: ImportOptions) {
    this.#send = send;
    this.#find = find;
    this.#options = options;
    this.#references = new ReferenceResolver(find);
  }

  /** Writes the rows that are valid, and checks the others for all their errors. */
  async importBatch(batch: readonly ParsedRow[], beforeCommit?: () => Promise<void>): Promise<BatchResult> {
    const { dryRun = false, start } = this.#options;
    const rows = await this.#dropInvalidCells(await this.#prepare(batch));
    const valid = rows.filter(({ errors }) => errors.length === 0);
    const part = String(batch[0]?.number);
    const sent = await this.#sendRows(valid, { dryRun, part, beforeCommit });
    const items = new Map([...sent, ...(await this.#checkRows(rows.filter(({ errors }) => errors.length > 0)))]);
    const names = await this.#namesOfDuplicates(items);
    const counts = { created: 0, updated: 0, unchanged: 0, rejected: 0 };
    const [rejected, dropped]: [RowProblem[], RowProblem[]] = [[], []];
    const createdIds: string[] = [];
    let alreadyCreated = 0;
    for (const row of rows) {
      const { row: raw, values } = row.source;
      const { error, result, id } = items.get(row) ?? {};
      const errors = this.#errorsOf(row, error, names);
      if (errors.length > 0 || result === undefined) {
        counts.rejected += 1;
        rejected.push({ row: raw, values, errors });
        continue;
      }
      const isRepeated = result === "unchanged" && this.#operationOf(row).op === "create";
      if (isRepeated && start === undefined) alreadyCreated += 1;
      // The interrupted import created it.
      counts[isRepeated && start !== undefined ? "created" : result] += 1;
      if (id !== undefined && (isRepeated || result === "created")) createdIds.push(id);
      if (row.dropped.length > 0) dropped.push({ row: raw, values, errors: row.dropped });
      this.#rememberValue(row);
    }
    return { counts, alreadyCreated, createdIds, rejected, dropped };
  }

  /** Finds the records to update, and replaces references by IDs. */
  async #prepare(batch: readonly ParsedRow[]): Promise<readonly PreparedRow[]> {
    await this.#references.load(batch.map(({ values }) => values.pairs));
    const existing = await this.#findExisting(batch);
    return batch.map((source) => {
      const { pairs } = source.values;
      const found = existing.get(source) ?? [];
      const errors = [...source.values.errors];
      // A row that can't be split has no values to check.
      if (pairs.length > 0) errors.push(...this.#matchErrors(source, found), ...this.#repeatedValue(source));
      const [before] = found;
      return { source, pairs: this.#references.resolve(pairs, before, errors), before, errors, dropped: [] };
    });
  }

  /** Finds the records to update of the rows whose body depends on them. The API finds the others. */
  async #findExisting(batch: readonly ParsedRow[]): Promise<ReadonlyMap<ParsedRow, readonly ExistingRecord[]>> {
    const { upsertBy, entity, emptyClears } = this.#options;
    if (upsertBy === undefined) return new Map();
    const rows = batch.filter((row) => (emptyClears || needsExisting(row)) && textOf(row, upsertBy) !== "");
    if (rows.length === 0) return new Map();
    const texts = rows.map((row) => textOf(row, upsertBy));
    const found = await this.#find.by(entity, upsertBy, texts);
    return new Map(rows.map((row, index) => [row, (found[index] ?? []) as readonly ExistingRecord[]]));
  }

  #matchErrors(row: ParsedRow, found: readonly ExistingRecord[]): readonly RowError[] {
    const { upsertBy } = this.#options;
    if (upsertBy === undefined) return [];
    if (textOf(row, upsertBy) === "") {
      const message = `${upsertBy} is required, because it identifies the record to update.`;
      return [{ code: "required", target: upsertBy, message }];
    }
    if (found.length < 2) return [];
    const reason = `Several records have this ${upsertBy}. Update one of them by its ID.`;
    const ids = found.map(({ id }) => id);
    const message = `${reason} IDs: ${ids.join(", ")}.`;
    return [{ code: "ambiguous_reference", target: upsertBy, message, reason, details: { ids } }];
  }

  /** Checks the rows, and omits invalid cells of the targets in `dropInvalid`. */
  async #dropInvalidCells(rows: readonly PreparedRow[]): Promise<readonly PreparedRow[]> {
    const { dropInvalid = [] } = this.#options;
    if (dropInvalid.length === 0) return rows;
    const checked = await this.#checkRows(rows);
    return rows.map((row) => {
      const errors = this.#errorsOf(row, checked.get(row)?.error);
      const isFilled = (name: string): boolean => textOf(row.source, name) !== "";
      const isDroppable = ({ target = "", code }: RowError): boolean =>
        code !== "duplicate" && dropInvalid.includes(target) && isFilled(target);
      const dropped = errors.filter(isDroppable);
      const names = dropped.map(({ target }) => target);
      const pairs = row.pairs.filter(({ target }) => !names.includes(target.name));
      return { ...row, pairs, errors: row.errors.filter((each) => !isDroppable(each)), dropped };
    });
  }

  /** Returns the errors of a row and those of the API, except those that follow from a cell that wasn't sent. */
  #errorsOf(row: PreparedRow, failure: ImportItem["error"], names?: ReadonlyMap<string, string>): readonly RowError[] {
    return failure === undefined ? row.errors : [...row.errors, ...this.#describe(row, failure, names)];
  }

  #describe(row: PreparedRow, failure: ApiFailure, names?: ReadonlyMap<string, string>): readonly RowError[] {
    const { columnNames = new Map(), upsertBy, entity } = this.#options;
    if (failure.code === "not_found" && upsertBy === "id") {
      const message = `id: no ${entity} has the ID ${textOf(row.source, "id")}.`;
      return [{ code: "not_found", target: "id", message, reason: `id: no ${entity} has this ID.` }];
    }
    // The record with the value of a row that is only checked can be that of a later row.
    if (row.errors.length > 0 && failure.details?.existingId !== undefined) return [];
    const errors = describeFailure(failure, columnNames, names).flatMap((error): readonly RowError[] => {
      if (error.target === undefined) return [error];
      if (row.errors.some(({ target }) => target === error.target)) return [];
      const dropped = row.dropped.filter(({ target }) => target === error.target);
      return dropped.length > 0 ? dropped : [error];
    });
    return [...new Set(errors)];
  }

  /** Returns the names of the records that have the unique values of rows. */
  async #namesOfDuplicates(items: Items): Promise<ReadonlyMap<string, string>> {
    const ids = [...items.values()].flatMap(({ error }) => (error?.details?.existingId as string | undefined) ?? []);
    if (ids.length === 0) return new Map();
    const found = await this.#find.by(this.#options.entity, "id", ids);
    return new Map(
      found.flat().flatMap(({ id, name }): [string, string][] => (name === undefined ? [] : [[id, name]])),
    );
  }

  /** Returns an error if an earlier row for another record has the same unique value. */
  #repeatedValue({ values }: ParsedRow): readonly RowError[] {
    const { entity, upsertBy = "" } = this.#options;
    const field = uniqueFields[entity];
    const key = field === undefined ? undefined : comparisonKey(values, field);
    const earlier = key === undefined ? undefined : this.#earlier.get(key);
    if (field === undefined || earlier === undefined) return [];
    const record = comparisonKey(values, upsertBy);
    if (record !== undefined && record === comparisonKey(earlier.values, upsertBy)) return [];
    const message = `Line ${earlier.row.line} of the file has the same ${field}.`;
    const reason = `Another line of the file has the same ${field}.`;
    return [{ code: "duplicate", target: field, message, reason, details: { line: earlier.row.line } }];
  }

  #rememberValue({ source, dropped }: PreparedRow): void {
    const { entity, dryRun } = this.#options;
    const field = uniqueFields[entity] ?? "";
    if (dryRun !== true || dropped.some(({ target }) => target === field)) return;
    const key = comparisonKey(source.values, field);
    if (key !== undefined) this.#earlier.set(key, source);
  }

  #operationOf({ pairs, before, source }: PreparedRow): ImportOperation["operation"] {
    const { upsertBy, emptyClears = false } = this.#options;
    const { id: _, ...data } = buildBody(pairs, before, emptyClears);
    if (upsertBy === undefined) return { op: "create", data };
    const id = upsertBy === "id" ? textOf(source, "id") : before?.id;
    // A row without an ID is only checked.
    if (id === "") return { op: "create", data };
    return id === undefined ? { op: "upsert", matchBy: upsertBy, data } : { op: "update", id, data };
  }

  /** Sends rows without writing them. */
  #checkRows(rows: readonly PreparedRow[]): Promise<Items> {
    const split = rows.filter(({ source }) => source.values.pairs.length > 0);
    return this.#sendRows(split, { dryRun: true, part: "" });
  }

  /**
   * Sends a batch. If the API rejects the request as a whole, sends its halves, so that each row gets its own error.
   */
  async #sendRows(rows: readonly PreparedRow[], options: Parameters<SendBatch>[1]): Promise<Items> {
    const { dryRun, part } = options;
    if (rows.length === 0) return new Map();
    const operations = rows.map((row) => ({ row: row.source.number, operation: this.#operationOf(row) }));
    try {
      const items = await this.#send(operations, options);
      return new Map(rows.map((row, index) => [row, items[index] ?? {}]));
    } catch (error) {
      const failure = error as ApiFailure & { readonly status?: number };
      if (![400, 413, 422].includes(failure.status ?? 0)) throw error;
      if (rows.length === 1) return new Map(rows.map((row) => [row, { error: failure }]));
      const middle = Math.ceil(rows.length / 2);
      const first = await this.#sendRows(rows.slice(0, middle), { dryRun, part: `${part}a` });
      const second = await this.#sendRows(rows.slice(middle), { dryRun, part: `${part}b` });
      return new Map([...first, ...second]);
    }
  }
}

/**
 * Returns whether the body of a row depends on the record to update: a stage of its pipeline, or a part of a relation.
 */
function needsExisting({ values: { pairs } }: ParsedRow): boolean {
  const filled = pairs.filter(({ value }) => value !== undefined).map(({ target }) => target);
  const hasKind = (wanted: string): boolean => filled.some(({ kind }) => kind === wanted);
  const relation = filled.filter(({ field }) => field === "relatedTo").map(({ member }) => member);
  return (hasKind("stage") && !hasKind("pipeline")) || (relation.length > 0 && !relation.includes("type"));
}

/** Returns the text of a value, or an empty text. */
function textOf({ values: { pairs } }: ParsedRow, name: string): string {
  return String(pairs.find(({ target }) => target.name === name)?.value ?? "").trim();
}
