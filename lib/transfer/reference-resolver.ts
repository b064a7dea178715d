import { type ColumnTarget, isReference } from "./column-target.ts";
import { lookupFieldsOf, smallKinds } from "./entities.ts";
import { matchRecords, type Named } from "./record-index.ts";
import type { RowError } from "./row-errors.ts";
import type { TargetValue } from "./row-values.ts";

/** Finds records that aren't archived. */
export type RecordFinder = {
  /** Returns all records of a kind with few records: `user`, `pipeline` or `stage`. */
  all(kind: string): Promise<readonly Named[]>;
  /** Returns for each value the records that have it in the field, at most 4. The field can be `id`. */
  by(kind: string, field: string, values: readonly string[]): Promise<readonly (readonly Named[])[]>;
};

const idForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Candidates in a message. */
const maxCandidates = 3;
/** Values whose records are remembered, so that memory use doesn't depend on the size of the file. */
const maxKnown = 10_000;

/** Resolves names in cells to record IDs. IDs are returned unchecked, because the API validates them. */
export class ReferenceResolver {
  readonly #find: RecordFinder;
  /** Records of small kinds. */
  readonly #all = new Map<string, readonly Named[]>();
  /** Records by kind, field and value. */
  readonly #known = new Map<string, readonly Named[]>();

  constructor(find: RecordFinder) {
    this.#find = find;
  }

  /** Finds the records that these rows name, so that `resolve` can replace them. */
  async load(rows: readonly (readonly TargetValue[])[]): Promise<void> {
    if (this.#known.size > maxKnown) this.#known.clear();
    const references = rows.flatMap((pairs) => pairs.flatMap((pair) => referenceOf(pair, pairs) ?? []));
    for (const [kind, same] of Map.groupBy(references, (each) => each.kind)) {
      const texts = new Set(same.flatMap(({ names }) => names.filter((name) => !idForm.test(name))));
      if (texts.size === 0) continue;
      if (smallKinds.includes(kind)) await this.#loadAll(kind === "stage" ? ["pipeline", "stage"] : [kind]);
      else for (const field of lookupFieldsOf(kind)) await this.#loadBy(kind, field, [...texts]);
    }
  }

  async #loadAll(kinds: readonly string[]): Promise<void> {
    for (const kind of kinds) if (!this.#all.has(kind)) this.#all.set(kind, await this.#find.all(kind));
  }

  async #loadBy(kind: string, field: string, texts: readonly string[]): Promise<void> {
    const missing = texts.filter((text) => !this.#known.has(`${kind} ${field} ${text}`));
    const found = missing.length === 0 ? [] : await this.#find.by(kind, field, missing);
    for (const [index, text] of missing.entries()) this.#known.set(`${kind} ${field} ${text}`, found[index] ?? []);
  }

  /** Replaces names by IDs, and adds errors for those that match no record or several. Call `load` before. */
  resolve(
    pairs: readonly TargetValue[],
    before: Readonly<Record<string, unknown>> | undefined,
    errors: RowError[],
  ): readonly TargetValue[] {
    if (!pairs.some((pair) => isReference(pair.target))) return pairs;
    const resolved: TargetValue[] = [];
    let pipeline = before?.pipelineId as string | undefined;
    for (const pair of pipelineFirst(pairs)) {
      const { target, value } = pair;
      const reference = referenceOf(pair, pairs);
      if (reference === undefined) {
        resolved.push(pair);
        continue;
      }
      const found = reference.names.map((name) => this.#resolveName(target, reference.kind, name, pipeline));
      const ids = found.filter((each) => typeof each === "string");
      errors.push(...found.filter((each) => typeof each !== "string"));
      if (target.kind === "pipeline") pipeline = ids[0] ?? pipeline;
      if (ids.length === found.length) resolved.push({ target, value: Array.isArray(value) ? ids : ids[0] });
    }
    return resolved;
  }

  /** Returns the ID. `pipeline` is the ID of the pipeline of a stage, if the row has one. */
  #resolveName({ name }: ColumnTarget, kind: string, text: string, pipeline: string | undefined): string | RowError {
    const fields = lookupFieldsOf(kind);
    if (idForm.test(text) || fields.length === 0) return text;
    // Stages of different pipelines can have the same name.
    const found = this.#findRecords(kind, fields, text).filter(
      ({ pipelineId }) => kind !== "stage" || pipeline === undefined || pipelineId === pipeline.toLowerCase(),
    );
    const [only, ...more] = found;
    if (only !== undefined && more.length === 0) return only.id;
    const cell = `${name}: "${text.slice(0, 60)}"`;
    if (only === undefined) {
      const problem = `doesn't match any ${kind} by ${["id", ...fields].join(", ")}.`;
      return { code: "unknown_reference", target: name, message: `${cell} ${problem}`, reason: `${name} ${problem}` };
    }
    const candidates = found.slice(0, maxCandidates);
    const list = candidates.map((each) => `${this.#labelOf(kind, each)} (${each.id})`);
    const rest = found.length > maxCandidates ? " and others" : "";
    const remedy = `Use the ID${kind === "stage" ? " or add the pipeline" : ""}.`;
    return {
      code: "ambiguous_reference",
      target: name,
      message: `${cell} matches ${list.join(", ")}${rest}. ${remedy}`,
      reason: `${name} matches several records. ${remedy}`,
      details: { ids: candidates.map(({ id }) => id) },
    };
  }

  #findRecords(kind: string, fields: readonly string[], text: string): readonly Named[] {
    if (smallKinds.includes(kind)) return this.#findInAll(kind, fields, text);
    const found = fields.flatMap((field) => this.#known.get(`${kind} ${field} ${text}`) ?? []);
    return [...new Map(found.map((record) => [record.id, record])).values()];
  }

  /** Finds the records of a small kind by the first field that matches. Prefers those with exactly this name. */
  #findInAll(kind: string, fields: readonly string[], text: string): readonly Named[] {
    const key = `${kind} ${text}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const matches = fields.map((field) => matchRecords(this.#allOf(kind), field, [text])[0] ?? []);
    const same = matches.find((each) => each.length > 0) ?? [];
    const exact = same.filter(({ name }) => name === text);
    const found = exact.length > 0 ? exact : same;
    this.#known.set(key, found);
    return found;
  }

  #allOf(kind: string): readonly Named[] {
    return this.#all.get(kind) ?? [];
  }

  #labelOf(kind: string, { id, name, email, pipelineId }: Named): string {
    if (kind !== "stage") return name ?? email ?? id;
    return `stage of ${this.#allOf("pipeline").find((each) => each.id === pipelineId)?.name}`;
  }
}

/** Returns the kind and the names of a reference. Undefined for other values, which the API validates. */
function referenceOf(
  { target, value }: TargetValue,
  pairs: readonly TargetValue[],
): { readonly kind: string; readonly names: readonly string[] } | undefined {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!isReference(target) || !names.every((each) => typeof each === "string")) return undefined;
  const type = pairs.find((pair) => pair.target.name === "relatedTo.type")?.value;
  return { kind: target.kind ?? String(type ?? "").trim(), names };
}

/** Moves the pipeline to the front, because stages are searched in it. */
function pipelineFirst(pairs: readonly TargetValue[]): readonly TargetValue[] {
  const isPipeline = ({ target }: TargetValue): boolean => target.kind === "pipeline";
  return pairs.some(isPipeline) ? [...pairs.filter(isPipeline), ...pairs.filter((pair) => !isPipeline(pair))] : pairs;
}
