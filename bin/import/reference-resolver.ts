import type { ColumnTarget } from "./column-target.ts";
import type { TargetValue } from "./row-values.ts";

type Candidate = { readonly id: string; readonly label: string };
/** The ID that a cell refers to, or an error message. */
export type ResolvedReference = { readonly id: string } | { readonly error: string };

/** Fields that identify a record in a cell, in addition to its ID. */
const lookupFields: Readonly<Record<string, readonly string[]>> = {
  account: ["name", "externalId"],
  contact: ["email", "externalId"],
  opportunity: ["externalId"],
  user: ["email", "name"],
  pipeline: ["name"],
  stage: ["name"],
};

const idForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Candidates in a message. */
const maxCandidates = 3;

/** Finds records that aren't archived. Without `where`, returns all of the kind. */
export type FindRecords = (
  kind: string,
  query: { readonly where?: Readonly<Record<string, string>>; readonly limit?: number },
) => Promise<readonly Named[]>;

/** Resolves names in cells to record IDs. IDs are returned unchecked, because the API validates them. */
export class ReferenceResolver {
  readonly #find: FindRecords;

  constructor(find: FindRecords) {
    this.#find = find;
  }

  /** `pipeline` is the ID of the pipeline of a stage, if the row has one. */
  async resolve(
    { name }: ColumnTarget,
    kind: string,
    text: string,
    pipeline: string | undefined,
  ): Promise<ResolvedReference> {
    const fields = lookupFields[kind];
    if (idForm.test(text) || fields === undefined) return { id: text };
    const found = kind === "stage" ? await this.#stages(text, pipeline) : await this.#records(kind, fields, text);
    const [only, ...more] = found;
    if (only !== undefined && more.length === 0) return { id: only.id };
    const cell = `${name}: "${text.slice(0, 60)}"`;
    if (only === undefined) return { error: `${cell} doesn't match any ${kind} by ${["id", ...fields].join(", ")}.` };
    const list = found.slice(0, maxCandidates).map(({ id, label }) => `${label} (${id})`);
    const rest = found.length > maxCandidates ? " and others" : "";
    return {
      error: `${cell} matches ${list.join(", ")}${rest}. Use the ID${kind === "stage" ? " or add the pipeline" : ""}.`,
    };
  }

  /** Replaces names by IDs. Adds the errors, and the names of the invalid targets. `before` is the record to update. */
  async resolveAll(
    pairs: readonly TargetValue[],
    before: Readonly<Record<string, unknown>> | undefined,
    errors: string[],
    invalid: Set<string>,
  ): Promise<readonly TargetValue[]> {
    if (!pairs.some(({ target }) => target.valueType === "reference" || target.valueType === "references"))
      return pairs;
    const resolved: TargetValue[] = [];
    let pipeline = before?.pipelineId as string | undefined;
    const type = pairs.find(({ target }) => target.name === "relatedTo.type")?.value;
    for (const pair of pipelineFirst(pairs)) {
      const { target, value } = pair;
      const kind = target.field === "relatedTo" ? String(type ?? "").trim() : (target.kind ?? "");
      const names = Array.isArray(value) ? value : [value];
      const isReference =
        (target.valueType === "reference" || target.valueType === "references") &&
        names.every((each) => typeof each === "string");
      if (!isReference) {
        resolved.push(pair);
        continue;
      }
      const found = await Promise.all(names.map((name) => this.resolve(target, kind, name as string, pipeline)));
      errors.push(...found.flatMap((each) => ("error" in each ? [each.error] : [])));
      if (found.some((each) => "error" in each)) invalid.add(target.name);
      const ids = found.flatMap((each) => ("id" in each ? [each.id] : []));
      if (target.kind === "pipeline") pipeline = ids[0] ?? pipeline;
      if (ids.length === names.length) resolved.push({ target, value: Array.isArray(value) ? ids : ids[0] });
    }
    return resolved;
  }

  async #records(kind: string, fields: readonly string[], text: string): Promise<readonly Candidate[]> {
    if (kind === "pipeline") return (await this.#named("pipeline", text)).map(toCandidate);
    const found = new Map<string, Candidate>();
    for (const field of fields) {
      // Users have no filter by name.
      if (kind === "user" && field === "name") {
        for (const user of found.size > 0 ? [] : await this.#named("user", text)) found.set(user.id, toCandidate(user));
        continue;
      }
      const records = await this.#find(kind, { where: { [field]: text }, limit: maxCandidates + 1 });
      for (const record of records) found.set(record.id, toCandidate(record));
    }
    return [...found.values()];
  }

  /** Stages of different pipelines can have the same name. */
  async #stages(text: string, pipeline: string | undefined): Promise<readonly Candidate[]> {
    const pipelines = await this.#find("pipeline", {});
    const stages = (await this.#named("stage", text)) as readonly (Named & { pipelineId: string })[];
    return stages
      .filter(({ pipelineId }) => pipeline === undefined || pipelineId === pipeline)
      .map(({ id, pipelineId }) => {
        return { id, label: `stage of ${pipelines.find((each) => each.id === pipelineId)?.name}` };
      });
  }

  async #named(kind: "pipeline" | "stage" | "user", text: string): Promise<readonly Named[]> {
    const all = await this.#find(kind, {});
    const exact = all.filter(({ name }) => name === text);
    return exact.length > 0 ? exact : all.filter(({ name }) => name?.toLowerCase() === text.toLowerCase());
  }
}

/** A record that a cell can name. */
export type Named = { readonly id: string; readonly name?: string; readonly email?: string | null };

function toCandidate({ id, name, email }: Named): Candidate {
  return { id, label: name ?? email ?? id };
}

/** Moves the pipeline to the front, because stages are searched in it. */
function pipelineFirst(pairs: readonly TargetValue[]): readonly TargetValue[] {
  const isPipeline = ({ target }: TargetValue): boolean => target.kind === "pipeline";
  return pairs.some(isPipeline) ? [...pairs.filter(isPipeline), ...pairs.filter((pair) => !isPipeline(pair))] : pairs;
}
