import type { Kind, Storage } from "#lib";
import type { ColumnTarget } from "./column-target.ts";

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

/** Resolves names in cells to record IDs. IDs are returned unchecked, because the API validates them. */
export class ReferenceResolver {
  readonly #storage: Pick<Storage, "list">;
  readonly #tenantId: string;

  constructor(storage: Pick<Storage, "list">, tenantId: string) {
    this.#storage = storage;
    this.#tenantId = tenantId;
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

  async #records(kind: string, fields: readonly string[], text: string): Promise<readonly Candidate[]> {
    if (kind === "pipeline") return (await this.#named("pipeline", text)).map(toCandidate);
    const found = new Map<string, Candidate>();
    for (const field of fields) {
      // Users have no filter by name.
      if (kind === "user" && field === "name") {
        for (const user of found.size > 0 ? [] : await this.#named("user", text)) found.set(user.id, toCandidate(user));
        continue;
      }
      const records = await this.#storage.list(this.#tenantId, kind as Kind, {
        where: { [field]: text },
        limit: maxCandidates + 1,
      });
      for (const record of records) found.set(record.id, toCandidate(record as unknown as Named));
    }
    return [...found.values()];
  }

  /** Stages of different pipelines can have the same name. */
  async #stages(text: string, pipeline: string | undefined): Promise<readonly Candidate[]> {
    const pipelines = await this.#storage.list(this.#tenantId, "pipeline", {});
    const stages = (await this.#named("stage", text)) as readonly (Named & { pipelineId: string })[];
    return stages
      .filter(({ pipelineId }) => pipeline === undefined || pipelineId === pipeline)
      .map(({ id, pipelineId }) => {
        return { id, label: `stage of ${pipelines.find((each) => each.id === pipelineId)?.name}` };
      });
  }

  async #named(kind: "pipeline" | "stage" | "user", text: string): Promise<readonly Named[]> {
    const all = (await this.#storage.list(this.#tenantId, kind, {})) as readonly Named[];
    const exact = all.filter(({ name }) => name === text);
    return exact.length > 0 ? exact : all.filter(({ name }) => name?.toLowerCase() === text.toLowerCase());
  }
}

type Named = { readonly id: string; readonly name?: string; readonly email?: string | null };

function toCandidate({ id, name, email }: Named): Candidate {
  return { id, label: name ?? email ?? id };
}
