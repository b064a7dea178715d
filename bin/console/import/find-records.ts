import type { FindRecords, Named } from "../../import/reference-resolver.ts";
import { CallError, call } from "../api.ts";
import { collections, type Entity } from "../names.ts";

type Pipeline = Named & { readonly stages: readonly Named[] };

/** Returns a function that finds records with the filters of the API. Finds the same only once. */
export function cachedFinder(): FindRecords {
  const cache = new Map<string, Promise<readonly Named[]>>();
  return (kind, query) => {
    const key = JSON.stringify([kind, query]);
    const found = cache.get(key) ?? findRecords(kind, query);
    cache.set(key, found);
    return found;
  };
}

export const findRecords: FindRecords = async (kind, { where = {}, limit }) => {
  try {
    if (kind === "user") return (await call<readonly Named[]>("GET", "api/v1/users", { query: where })).data;
    if (kind === "pipeline" || kind === "stage") {
      const { data } = await call<readonly Pipeline[]>("GET", "api/v1/pipelines");
      if (kind === "pipeline") return data;
      return data.flatMap(({ id, stages }) => stages.map((stage) => ({ ...stage, pipelineId: id })));
    }
    const query = { ...where, limit };
    return (await call<readonly Named[]>("GET", `api/v1/${collections[kind as Entity]}`, { query })).data;
  } catch (error) {
    // No record has a value that the filter rejects, such as text that isn't an email address.
    if (error instanceof CallError && error.status === 400) return [];
    throw error;
  }
};

/** The most IDs that one request can have. */
const maxIds = 100;

/** Returns a function that reads records by ID, many at once and each only once. Archived records are undefined. */
export function recordGetter(): (kind: string, id: string) => Promise<Named | undefined> {
  const find = cachedFinder();
  const waiting = new Map<string, { readonly ids: string[]; readonly found: Promise<readonly Named[]> }>();
  return async (kind, id) => {
    if (["user", "pipeline", "stage"].includes(kind)) return (await find(kind, {})).find((each) => each.id === id);
    let group = waiting.get(kind);
    if (group === undefined || group.ids.length >= maxIds) {
      const ids: string[] = [];
      const found = new Promise((resolve) => setTimeout(resolve)).then(() => {
        if (waiting.get(kind)?.ids === ids) waiting.delete(kind);
        return find(kind, { where: { ids: ids.join(",") }, limit: maxIds });
      });
      group = { ids, found };
      waiting.set(kind, group);
    }
    if (!group.ids.includes(id)) group.ids.push(id);
    return (await group.found).find((each) => each.id === id);
  };
}
