import { type Api, ApiError, models, type Storage, scopes, type UntypedOperations } from "#lib";
import { buildBody } from "./build-body.ts";
import type { Entity } from "./column-target.ts";
import { describeErrors, invalidTargets } from "./describe-errors.ts";
import type { ReferenceResolver } from "./reference-resolver.ts";
import { isAlreadyCreated, isCheckOnly, type RowIds } from "./row-ids.ts";
import type { RowValues, TargetValue } from "./row-values.ts";

/** The result of a row. */
export type RowOutcome =
  | {
      readonly status: "created" | "updated" | "unchanged" | "already created";
      /** Errors of the cells that were omitted. */
      readonly dropped?: readonly string[];
    }
  | { readonly status: "rejected"; readonly errors: readonly string[] };

export type RowWriterOptions = {
  readonly api: Api;
  /** The storage of the API. */
  readonly storage: Storage;
  readonly tenantId: string;
  readonly entity: Entity;
  readonly ids: RowIds;
  readonly references: ReferenceResolver;
  /** The field that identifies the record to update. Undefined: every row creates a record. */
  readonly upsertBy: string | undefined;
  readonly emptyClears: boolean;
  /** Fields whose invalid cells are omitted. */
  readonly dropInvalid: readonly string[];
  /** Column names by target name, if they differ. Used in messages. */
  readonly columnNames: ReadonlyMap<string, string>;
};

type ExistingRecord = Readonly<Record<string, unknown>>;

const lowerCase = (text: string): string => text.toLowerCase();

/** Writes rows with the operations of the API, so that they get the same validation as requests. */
export class RowWriter {
  readonly #options: RowWriterOptions;
  readonly #create: UntypedOperations[string];
  readonly #update: UntypedOperations[string];

  constructor(options: RowWriterOptions) {
    const operations = options.api.operations as unknown as UntypedOperations;
    const name = options.entity.charAt(0).toUpperCase() + options.entity.slice(1);
    const [create, update] = [operations[`create${name}`], operations[`update${name}`]];
    if (create === undefined || update === undefined) throw new TypeError(`No operations for ${name}.`);
    this.#options = options;
    this.#create = create;
    this.#update = update;
  }

  /** Returns keys of unique values. Rows with a common key must run in order, so that the first one wins. */
  uniqueKeys({ pairs }: RowValues): readonly string[] {
    const { entity, upsertBy } = this.#options;
    const fields = models[entity].fields as Readonly<Record<string, { unique?: typeof lowerCase } | undefined>>;
    return pairs.flatMap(({ target: { name }, value }) => {
      const unique = fields[name]?.unique ?? (name === upsertBy ? lowerCase : undefined);
      return unique !== undefined && typeof value === "string" ? [`${name} ${unique(value.trim())}`] : [];
    });
  }

  /**
   * Creates or updates the record of a row. `id` is the ID of a new record. Omits invalid cells of `dropInvalid` if the
   * row is valid without them. @throws ApiError for internal errors
   */
  async write(row: RowValues, id: string): Promise<RowOutcome> {
    const invalid = new Set<string>();
    const outcome = await this.#write(row, id, invalid);
    const { dropInvalid } = this.#options;
    const pairs = row.pairs.filter(({ target: { name } }) => !(invalid.has(name) && dropInvalid.includes(name)));
    if (outcome.status !== "rejected" || pairs.length === row.pairs.length) return outcome;
    const second = await this.#write({ ...row, pairs }, id, new Set());
    return second.status === "rejected" ? outcome : { ...second, dropped: outcome.errors };
  }

  /** Adds the names of the invalid targets to `invalid`. */
  async #write(row: RowValues, id: string, invalid: Set<string>): Promise<RowOutcome> {
    const { upsertBy, references } = this.#options;
    // A row that can't be split has no values to check.
    if (row.pairs.length === 0 && row.errors.length > 0) return rejected(row.errors);
    const errors = [...row.errors];
    const before = upsertBy === undefined ? undefined : await this.#findExisting(row, upsertBy, errors);
    const pairs = await references.resolveAll(row.pairs, before, errors, invalid);
    if (errors.length > 0) return rejected([...errors, ...(await this.#otherErrors(pairs, before, row, invalid))]);
    return before === undefined ? this.#createRecord(pairs, id, invalid) : this.#updateRecord(pairs, before, invalid);
  }

  async #createRecord(pairs: readonly TargetValue[], id: string, invalid: Set<string>): Promise<RowOutcome> {
    const { tenantId, entity, ids, storage, upsertBy } = this.#options;
    const caller = { tenantId, scopes };
    try {
      await ids.run(id, () => this.#create({ caller, body: buildBody(pairs, undefined, false) }));
      return { status: "created" };
    } catch (error) {
      if (isAlreadyCreated(error)) return { status: "already created" };
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      const { field, existingId } = error.details ?? {};
      // Another client created the record after the lookup.
      const conflictId = error.code === "duplicate" && field === upsertBy ? String(existingId) : undefined;
      const other = conflictId === undefined ? undefined : await storage.get(tenantId, entity, conflictId);
      if (other !== undefined) return this.#updateRecord(pairs, other as unknown as ExistingRecord, invalid);
      // A row of an earlier import can be invalid by now, although its record exists.
      const existing = await storage.get(tenantId, entity, id);
      return existing === undefined ? rejected(await this.#describe(error, invalid)) : { status: "already created" };
    }
  }

  async #updateRecord(
    pairs: readonly TargetValue[],
    before: ExistingRecord,
    invalid: Set<string>,
  ): Promise<RowOutcome> {
    const { tenantId, emptyClears } = this.#options;
    const body = buildBody(pairs, before, emptyClears);
    try {
      const response = await this.#update({ caller: { tenantId, scopes }, params: { id: String(before.id) }, body });
      const { updatedAt } = (response.body as { data: { updatedAt: string } }).data;
      return { status: Date.parse(updatedAt) === before.updatedAt ? "unchanged" : "updated" };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      return rejected(await this.#describe(error, invalid));
    }
  }

  /** Finds the record to update. */
  async #findExisting({ pairs }: RowValues, field: string, errors: string[]): Promise<ExistingRecord | undefined> {
    const { storage, tenantId, entity } = this.#options;
    const value = pairs.find(({ target }) => target.name === field)?.value;
    if (typeof value !== "string" || value.trim() === "") {
      errors.push(`${field} is required, because --upsert-by uses it.`);
      return undefined;
    }
    if (field === "id") {
      const record = await storage.get(tenantId, entity, value.trim().toLowerCase());
      if (record === undefined || record.archivedAt !== null)
        errors.push(`id: no ${entity} has the ID ${value.trim()}.`);
      return record as unknown as ExistingRecord | undefined;
    }
    const found = await storage.list(tenantId, entity, { where: { [field]: value }, limit: 3 });
    if (found.length > 1)
      errors.push(`${field}: several records have this value: ${found.map(({ id }) => id).join(", ")}.`);
    return found[0] as unknown as ExistingRecord | undefined;
  }

  /** Returns the errors of the API for the values that have no errors yet. Writes nothing. */
  async #otherErrors(
    pairs: readonly TargetValue[],
    before: ExistingRecord | undefined,
    row: RowValues,
    invalid: Set<string>,
  ): Promise<readonly string[]> {
    const { tenantId, ids, emptyClears } = this.#options;
    const call = { caller: { tenantId, scopes }, body: buildBody(pairs, before, emptyClears) };
    const omitted = row.pairs.filter(({ target }) => !pairs.some((pair) => pair.target === target));
    const operation = before === undefined ? this.#create : this.#update;
    const params = before === undefined ? {} : { params: { id: String(before.id) } };
    try {
      await ids.check(() => operation({ ...call, ...params }));
      return [];
    } catch (error) {
      if (isCheckOnly(error)) return [];
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      for (const name of invalidTargets(error)) invalid.add(name);
      return describeErrors(
        error,
        this.#options.columnNames,
        omitted.map(({ target }) => target),
      );
    }
  }

  /** Returns the messages of an error. A duplicate has the name of the existing record too. */
  async #describe(error: ApiError, invalid: Set<string>): Promise<readonly string[]> {
    for (const name of invalidTargets(error)) invalid.add(name);
    const { storage, tenantId, entity, columnNames } = this.#options;
    const id = error.details?.existingId;
    const existing = typeof id === "string" ? await storage.get(tenantId, entity, id) : undefined;
    const { name } = (existing ?? {}) as { readonly name?: string };
    const messages = describeErrors(error, columnNames);
    return name === undefined ? messages : [...messages, `It is "${name.slice(0, 60)}".`];
  }
}

function rejected(errors: readonly string[]): RowOutcome {
  return { status: "rejected", errors };
}
