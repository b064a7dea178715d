import { type Api, ApiError, models, type Storage, scopes } from "#lib";
import { bodyOf } from "./body.ts";
import { describeErrors } from "./error-text.ts";
import type { References } from "./references.ts";
import { isAlreadyMade, isOnlyChecked, type RowIds } from "./row-ids.ts";
import type { Pair, RowValues } from "./row-values.ts";
import type { Entity } from "./target.ts";

/** What became of a row. */
export type Outcome =
  | { readonly as: "created" | "updated" | "unchanged" | "made before" }
  | { readonly as: "rejected"; readonly errors: readonly string[] };

export type RowWriterParts = {
  readonly api: Api;
  /** What the API works on. */
  readonly storage: Storage;
  readonly tenantId: string;
  readonly entity: Entity;
  readonly ids: RowIds;
  readonly references: References;
  /** The field by which a row finds the record that it changes; none: each row makes one. */
  readonly upsertBy: string | undefined;
  readonly emptyClears: boolean;
  /** The columns of fields that are called otherwise, for messages. */
  readonly called: ReadonlyMap<string, string>;
};

type Values = Readonly<Record<string, unknown>>;

/** Sends rows through the operations of the API, with every check that a request meets. */
export class RowWriter {
  readonly #parts: RowWriterParts;
  readonly #create: NonNullable<Api["operations"][string]>;
  readonly #update: NonNullable<Api["operations"][string]>;

  constructor(parts: RowWriterParts) {
    const { operations } = parts.api;
    const name = parts.entity.charAt(0).toUpperCase() + parts.entity.slice(1);
    const [create, update] = [operations[`create${name}`], operations[`update${name}`]];
    if (create === undefined || update === undefined) throw new TypeError(`There are no operations for ${name}.`);
    this.#parts = parts;
    this.#create = create;
    this.#update = update;
  }

  /** Texts of which no two rows may be worked on at a time: the first of them is to win. */
  claims({ pairs }: RowValues): readonly string[] {
    const { entity, upsertBy } = this.#parts;
    const fields = models[entity].fields as Readonly<Record<string, { unique?: unknown } | undefined>>;
    return pairs.flatMap(({ target: { name }, value }) => {
      const counts = name === upsertBy || fields[name]?.unique !== undefined;
      return counts && typeof value === "string" ? [`${name} ${value.trim().toLowerCase()}`] : [];
    });
  }

  /** Makes or changes the record of a row; `id` is the one that it gets. @throws ApiError where the fault is ours */
  async write(draft: RowValues, id: string): Promise<Outcome> {
    const { upsertBy } = this.#parts;
    // What cannot be taken apart has no values worth looking at.
    if (draft.pairs.length === 0 && draft.faults.length > 0) return rejected(draft.faults);
    const faults = [...draft.faults];
    const before = upsertBy === undefined ? undefined : await this.#meant(draft, upsertBy, faults);
    const pairs = await this.#resolved(draft.pairs, before, faults);
    if (faults.length > 0) return rejected([...faults, ...(await this.#otherFaults(pairs, before, draft))]);
    return before === undefined ? this.#make(pairs, id) : this.#change(pairs, before);
  }

  async #make(pairs: readonly Pair[], id: string): Promise<Outcome> {
    const { tenantId, entity, ids, storage, upsertBy } = this.#parts;
    const caller = { tenantId, scopes };
    try {
      await ids.run(id, () => this.#create({ caller, body: bodyOf(pairs, undefined, false) }));
      return { as: "created" };
    } catch (error) {
      if (isAlreadyMade(error)) return { as: "made before" };
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      const { field, existingId } = error.details ?? {};
      // Somebody else has made it since it was looked for.
      const there = error.code === "duplicate" && field === upsertBy ? String(existingId) : undefined;
      const other = there === undefined ? undefined : await storage.get(tenantId, entity, there);
      if (other !== undefined) return this.#change(pairs, other as unknown as Values);
      // What was right when it was made may be wrong by now.
      const made = await storage.get(tenantId, entity, id);
      return made === undefined ? rejected(this.#words(error)) : { as: "made before" };
    }
  }

  async #change(pairs: readonly Pair[], before: Values): Promise<Outcome> {
    const { tenantId, emptyClears } = this.#parts;
    const body = bodyOf(pairs, before, emptyClears);
    try {
      const answer = await this.#update({ caller: { tenantId, scopes }, params: { id: String(before.id) }, body });
      const { updatedAt } = (answer.body as { data: { updatedAt: string } }).data;
      return { as: Date.parse(updatedAt) === before.updatedAt ? "unchanged" : "updated" };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      return rejected(this.#words(error));
    }
  }

  /** The record that the row is about, or none yet. */
  async #meant({ pairs }: RowValues, field: string, faults: string[]): Promise<Values | undefined> {
    const { storage, tenantId, entity } = this.#parts;
    const value = pairs.find(({ target }) => target.name === field)?.value;
    if (typeof value !== "string" || value.trim() === "") {
      faults.push(`${field} is needed: the row finds its record by it.`);
      return undefined;
    }
    const found = await storage.list(tenantId, entity, { where: { [field]: value }, limit: 3 });
    if (found.length > 1) faults.push(`${field}: several records have it: ${found.map(({ id }) => id).join(", ")}.`);
    return found[0] as unknown as Values | undefined;
  }

  /** The values with ids in place of names. */
  async #resolved(pairs: readonly Pair[], before: Values | undefined, faults: string[]): Promise<readonly Pair[]> {
    if (!pairs.some(({ target }) => target.form === "reference" || target.form === "references")) return pairs;
    const all: Pair[] = [];
    let pipeline = before?.pipelineId as string | undefined;
    const type = pairs.find(({ target }) => target.name === "relatedTo.type")?.value;
    for (const pair of pipelineFirst(pairs)) {
      const { target, value } = pair;
      const kind = target.field === "relatedTo" ? String(type ?? "").trim() : (target.kind ?? "");
      const names = Array.isArray(value) ? value : [value];
      const refers =
        (target.form === "reference" || target.form === "references") &&
        names.every((each) => typeof each === "string");
      if (!refers) {
        all.push(pair);
        continue;
      }
      const found = await Promise.all(
        names.map((name) => this.#parts.references.resolve(target, kind, name as string, pipeline)),
      );
      faults.push(...found.flatMap((each) => ("fault" in each ? [each.fault] : [])));
      const ids = found.flatMap((each) => ("id" in each ? [each.id] : []));
      if (target.kind === "pipeline") pipeline = ids[0] ?? pipeline;
      if (ids.length === names.length) all.push({ target, value: Array.isArray(value) ? ids : ids[0] });
    }
    return all;
  }

  /** What the API finds wrong beside what was found here: it is asked without a word of the values that are. */
  async #otherFaults(pairs: readonly Pair[], before: Values | undefined, draft: RowValues): Promise<readonly string[]> {
    const { tenantId, ids, emptyClears } = this.#parts;
    const call = { caller: { tenantId, scopes }, body: bodyOf(pairs, before, emptyClears) };
    const told = draft.pairs.filter(({ target }) => !pairs.some((pair) => pair.target === target));
    const asked = before === undefined ? this.#create : this.#update;
    const params = before === undefined ? {} : { params: { id: String(before.id) } };
    try {
      await ids.check(() => asked({ ...call, ...params }));
      return [];
    } catch (error) {
      if (isOnlyChecked(error)) return [];
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      return describeErrors(
        error,
        this.#parts.called,
        told.map(({ target }) => target),
      );
    }
  }

  #words(error: ApiError): readonly string[] {
    return describeErrors(error, this.#parts.called);
  }
}

/** A stage is looked for in the pipeline of its row. */
function pipelineFirst(pairs: readonly Pair[]): readonly Pair[] {
  const isPipeline = ({ target }: Pair): boolean => target.kind === "pipeline";
  return pairs.some(isPipeline) ? [...pairs.filter(isPipeline), ...pairs.filter((pair) => !isPipeline(pair))] : pairs;
}

function rejected(errors: readonly string[]): Outcome {
  return { as: "rejected", errors };
}
