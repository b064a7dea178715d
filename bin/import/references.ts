import type { Kind, Storage } from "#lib";
import type { Target } from "./target.ts";

type Found = { readonly id: string; readonly words: string };
/** The id that a cell means, or why none can be told. */
export type Resolved = { readonly id: string } | { readonly fault: string };

/** By what a record can be named in a cell, beside its id. */
const namedBy: Readonly<Record<string, readonly string[]>> = {
  account: ["name", "externalId"],
  contact: ["email", "externalId"],
  opportunity: ["externalId"],
  user: ["email"],
  pipeline: ["name"],
  stage: ["name"],
};

const idForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Candidates that a message names. */
const namedMax = 3;

/** Finds the records that cells name. Ids are taken as they are: the API says whether there is such a record. */
export class References {
  readonly #storage: Pick<Storage, "list">;
  readonly #tenantId: string;

  constructor(storage: Pick<Storage, "list">, tenantId: string) {
    this.#storage = storage;
    this.#tenantId = tenantId;
  }

  /** `pipeline` is the id of the one that a stage must be in, where the row says it. */
  async resolve({ name }: Target, kind: string, text: string, pipeline: string | undefined): Promise<Resolved> {
    const fields = namedBy[kind];
    if (idForm.test(text) || fields === undefined) return { id: text };
    const found = kind === "stage" ? await this.#stages(text, pipeline) : await this.#records(kind, fields, text);
    const [only, ...more] = found;
    if (only !== undefined && more.length === 0) return { id: only.id };
    const what = `${name}: "${text.slice(0, 60)}"`;
    if (only === undefined) return { fault: `${what} names no ${kind}, by ${["id", ...fields].join(", ")}.` };
    const list = found.slice(0, namedMax).map(({ id, words }) => `${words} (${id})`);
    const rest = found.length > namedMax ? " and others" : "";
    return {
      fault: `${what} may be ${list.join(" or ")}${rest}. Give the id${kind === "stage" ? ", or the pipeline too" : ""}.`,
    };
  }

  async #records(kind: string, fields: readonly string[], text: string): Promise<readonly Found[]> {
    if (kind === "pipeline") return (await this.#named("pipeline", text)).map(shown);
    const found = new Map<string, Found>();
    for (const field of fields) {
      const records = await this.#storage.list(this.#tenantId, kind as Kind, {
        where: { [field]: text },
        limit: namedMax + 1,
      });
      for (const record of records) found.set(record.id, shown(record as unknown as Named));
    }
    return [...found.values()];
  }

  /** Stages of any pipeline have names that others have, too. */
  async #stages(text: string, pipeline: string | undefined): Promise<readonly Found[]> {
    const pipelines = await this.#storage.list(this.#tenantId, "pipeline", {});
    const stages = (await this.#named("stage", text)) as readonly (Named & { pipelineId: string })[];
    return stages
      .filter(({ pipelineId }) => pipeline === undefined || pipelineId === pipeline)
      .map(({ id, pipelineId }) => {
        return { id, words: `that of the pipeline ${pipelines.find((each) => each.id === pipelineId)?.name}` };
      });
  }

  async #named(kind: "pipeline" | "stage", text: string): Promise<readonly Named[]> {
    const all = (await this.#storage.list(this.#tenantId, kind, {})) as readonly Named[];
    const spelled = all.filter(({ name }) => name === text);
    return spelled.length > 0 ? spelled : all.filter(({ name }) => name?.toLowerCase() === text.toLowerCase());
  }
}

type Named = { readonly id: string; readonly name?: string; readonly email?: string | null };

function shown({ id, name, email }: Named): Found {
  return { id, words: name ?? email ?? id };
}
