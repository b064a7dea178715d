import { buildBody } from "../../import/build-body.ts";
import { describeErrors, invalidTargets, type RowError } from "../../import/describe-errors.ts";
import type { RawRow } from "../../import/raw-row.ts";
import { ReferenceResolver } from "../../import/reference-resolver.ts";
import type { RowValues, TargetValue } from "../../import/row-values.ts";
import { CallError, call } from "../api.ts";
import { collections, type Entity } from "../names.ts";
import { texts } from "../texts.ts";
import { cachedFinder, findRecords } from "./find-records.ts";
import { type ImportOptions, keyOf, type PlannedRow, splitIntoBatches, uniqueFields } from "./import-plan.ts";
import { hashOf } from "./open-file.ts";

export type Rejection = { readonly row: RawRow; readonly errors: readonly string[] };
export type Counts = { created: number; updated: number; unchanged: number; rejected: number };
export type ImportResult = {
  readonly done: number;
  readonly counts: Counts;
  readonly rejections: readonly Rejection[];
  /** Rows that were imported without their invalid cells. */
  readonly dropped: readonly Rejection[];
};

export type ImportWork = {
  readonly entity: Entity;
  readonly rows: readonly PlannedRow[];
  readonly options: ImportOptions;
  readonly columnNames: ReadonlyMap<string, string>;
  /** The same for the same file, options and tenant. */
  readonly seed: string;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  onProgress(result: ImportResult): void;
};

type Existing = Readonly<Record<string, unknown>> & { readonly id: string };
/** A row whose references are IDs. */
type Prepared = {
  readonly source: PlannedRow;
  readonly pairs: readonly TargetValue[];
  readonly before: Existing | undefined;
  readonly errors: readonly string[];
  readonly invalid: Set<string>;
};
type Item = { readonly result?: keyof Counts; readonly error?: RowError };
type Operation = Readonly<Record<string, unknown>>;

/** Rows whose references are resolved at the same time. */
const parallelRows = 4;

/** Writes rows in batches, in order. Stops after a batch when `signal` is aborted. @throws CallError */
export async function runImport(work: ImportWork): Promise<ImportResult> {
  const run = new ImportRun(work);
  const batches = splitIntoBatches(work.rows, work.options.upsertBy);
  for (const [index, batch] of batches.entries()) {
    if (work.signal.aborted) break;
    await run.writeBatch(batch, String(index));
    work.onProgress(run.result());
  }
  return run.result();
}

class ImportRun {
  readonly #work: ImportWork;
  readonly #references = new ReferenceResolver(cachedFinder());
  readonly #counts: Counts = { created: 0, updated: 0, unchanged: 0, rejected: 0 };
  readonly #rejections: Rejection[] = [];
  readonly #dropped: Rejection[] = [];
  /** Lines by unique value. A dry run writes nothing, so that the API doesn't see the rows of earlier batches. */
  readonly #lines = new Map<string, number>();
  #done = 0;

  constructor(work: ImportWork) {
    this.#work = work;
  }

  result(): ImportResult {
    return {
      done: this.#done,
      counts: { ...this.#counts },
      rejections: [...this.#rejections],
      dropped: [...this.#dropped],
    };
  }

  async writeBatch(batch: readonly PlannedRow[], key: string): Promise<void> {
    const { dryRun, options } = this.#work;
    let rows = await this.#prepare(batch);
    const droppedOf = new Map<PlannedRow, readonly string[]>();
    if (options.dropInvalid.length > 0) {
      const first = await this.#write(rows, key, true);
      rows = rows.map((row, index) => this.#withoutInvalid(row, first[index] ?? [], droppedOf));
    }
    const errors = await this.#write(rows, key, dryRun, this.#counts);
    for (const [index, { source }] of rows.entries()) {
      const rowErrors = errors[index] ?? [];
      const dropped = droppedOf.get(source);
      if (rowErrors.length > 0) this.#rejections.push({ row: source.row, errors: dropped ?? rowErrors });
      else if (dropped !== undefined) this.#dropped.push({ row: source.row, errors: dropped });
    }
    this.#counts.rejected = this.#rejections.length;
    this.#done += batch.length;
  }

  #withoutInvalid(row: Prepared, errors: readonly string[], droppedOf: Map<PlannedRow, readonly string[]>): Prepared {
    const isDropped = (name: string): boolean => row.invalid.has(name) && this.#work.options.dropInvalid.includes(name);
    const pairs = row.pairs.filter(({ target }) => !isDropped(target.name));
    const hasDropped = row.source.values.pairs.some(({ target }) => isDropped(target.name));
    if (!hasDropped) return row;
    droppedOf.set(row.source, errors);
    const remaining = [...row.invalid].every(isDropped) ? row.source.values.errors : row.errors;
    return { ...row, pairs, errors: remaining, invalid: new Set() };
  }

  /** Finds the records to update and resolves the references. */
  async #prepare(batch: readonly PlannedRow[]): Promise<Prepared[]> {
    const { options } = this.#work;
    const byId = options.upsertBy === "id" ? await this.#findByIds(batch) : undefined;
    const prepared: Prepared[] = [];
    const prepareRow = async (source: PlannedRow, index: number): Promise<void> => {
      const errors = [...source.values.errors];
      const invalid = new Set<string>();
      const isSplit = source.values.pairs.length > 0;
      const before = isSplit && options.upsertBy !== "" ? await this.#findExisting(source, byId, errors) : undefined;
      const pairs = await this.#references.resolveAll(source.values.pairs, before, errors, invalid);
      prepared[index] = { source, pairs, before, errors, invalid };
    };
    for (let at = 0; at < batch.length; at += parallelRows)
      await Promise.all(batch.slice(at, at + parallelRows).map((source, index) => prepareRow(source, at + index)));
    return prepared;
  }

  async #findByIds(batch: readonly PlannedRow[]): Promise<ReadonlyMap<string, Existing>> {
    const ids = batch.flatMap(({ values }) => keyOf(values, "id") ?? []);
    const query = { ids: ids.filter((id) => /^[0-9a-f-]{36}$/.test(id)).join(","), limit: 100 };
    if (query.ids === "") return new Map();
    const { data } = await call<readonly Existing[]>("GET", this.#path, { query });
    return new Map(data.map((record) => [record.id, record]));
  }

  /** Reads the record only if the body depends on it. Otherwise the API finds it. */
  async #findExisting(
    { values }: PlannedRow,
    byId: ReadonlyMap<string, Existing> | undefined,
    errors: string[],
  ): Promise<Existing | undefined> {
    const { entity, options } = this.#work;
    const field = options.upsertBy;
    const value = String(values.pairs.find(({ target }) => target.name === field)?.value ?? "").trim();
    if (value === "") errors.push(texts.files.requiredForUpsert(field));
    if (value === "" || (byId === undefined && !this.#needsExisting(values))) return undefined;
    if (byId !== undefined) {
      const record = byId.get(value.toLowerCase());
      if (record === undefined) errors.push(texts.files.noSuchId(entity, value));
      return record;
    }
    const found = await findRecords(entity, { where: { [field]: value }, limit: 3 });
    if (found.length > 1) errors.push(texts.files.severalRecords(field, found.map(({ id }) => id).join(", ")));
    return found[0] as Existing | undefined;
  }

  /** Returns whether the body of a row depends on the record to update. */
  #needsExisting({ pairs }: RowValues): boolean {
    const { emptyClears } = this.#work.options;
    return emptyClears || pairs.some(({ target: { field, kind } }) => field === "address" || kind === "stage");
  }

  /** Sends the rows without errors, and checks the others. Returns the errors of each row. */
  async #write(rows: readonly Prepared[], key: string, dryRun: boolean, counts?: Counts): Promise<string[][]> {
    const errors = rows.map((row) => [...row.errors, ...(dryRun && counts ? this.#repeatedValue(row) : [])]);
    const valid = rows.filter((_, index) => errors[index]?.length === 0);
    const partial = rows.filter((row) => row.errors.length > 0 && row.source.values.pairs.length > 0);
    const [items, checks] = [await this.#send(valid, key, dryRun), await this.#send(partial, key, true)];
    for (const [row, { result, error }] of [...items, ...checks]) {
      if (error !== undefined) {
        for (const name of invalidTargets(error)) row.invalid.add(name);
        const omitted = row.source.values.pairs.filter(
          ({ target }) => !row.pairs.some((pair) => pair.target === target),
        );
        const messages = describeErrors(
          error,
          this.#work.columnNames,
          omitted.map(({ target }) => target),
        );
        errors[rows.indexOf(row)]?.push(...messages);
      } else if (result !== undefined && counts !== undefined && items.has(row)) {
        counts[result] += 1;
        this.#rememberValue(row);
      }
    }
    return errors;
  }

  #repeatedValue({ source }: Prepared): readonly string[] {
    const { entity, options } = this.#work;
    const field = uniqueFields[entity];
    const key = field === undefined ? undefined : keyOf(source.values, field);
    const line = key === undefined || options.upsertBy === field ? undefined : this.#lines.get(key);
    return line === undefined ? [] : [texts.files.repeated(field ?? "", line)];
  }

  #rememberValue({ source }: Prepared): void {
    const key = keyOf(source.values, uniqueFields[this.#work.entity] ?? "");
    if (key !== undefined) this.#lines.set(key, source.row.line);
  }

  get #path(): string {
    return `api/v1/${collections[this.#work.entity]}`;
  }

  #operationOf({ pairs, before }: Prepared): Operation {
    const { upsertBy, emptyClears } = this.#work.options;
    const data = buildBody(pairs, before, emptyClears);
    if (before !== undefined) return { op: "update", id: before.id, data };
    return upsertBy === "" || upsertBy === "id" ? { op: "create", data } : { op: "upsert", matchBy: upsertBy, data };
  }

  /** Sends a batch. If the API rejects the request as a whole, sends its halves, so that each row gets its own error. */
  async #send(rows: readonly Prepared[], key: string, dryRun: boolean): Promise<Map<Prepared, Item>> {
    if (rows.length === 0) return new Map();
    const operations = rows.map((row) => this.#operationOf(row));
    try {
      const idempotencyKey = await this.#keyOf(key, operations);
      const body = { operations };
      const { data } = await call<readonly Item[]>("POST", `${this.#path}/batch`, { body, dryRun, idempotencyKey });
      return new Map(rows.map((row, index) => [row, data[index] ?? {}]));
    } catch (error) {
      if (!(error instanceof CallError) || ![400, 413, 422].includes(error.status)) throw error;
      if (error.code === "idempotency_key_reused")
        return new Map(rows.map((row) => [row, { error: { message: texts.files.changedSince } }]));
      if (rows.length === 1) return new Map(rows.map((row) => [row, { error }]));
      const middle = Math.ceil(rows.length / 2);
      const first = await this.#send(rows.slice(0, middle), `${key}a`, dryRun);
      return new Map([...first, ...(await this.#send(rows.slice(middle), `${key}b`, dryRun))]);
    }
  }

  /**
   * Returns the same key for the same part of the same file. An update can be repeated, and its body depends on the
   * record, so that its key contains the body.
   */
  #keyOf(part: string, operations: readonly Operation[]): Promise<string> {
    const { seed, options } = this.#work;
    const body = options.upsertBy === "" ? "" : JSON.stringify(operations);
    return hashOf(new TextEncoder().encode(`${seed} ${part} ${body}`));
  }
}
