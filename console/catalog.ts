import type { Pipeline, User } from "crm-integrations/client";
import { useEffect, useState } from "preact/hooks";
import { call } from "./api.ts";
import type { Option } from "./ui/field-spec.ts";

/** Lists that many screens need. */
type Catalog = { readonly users: readonly User[]; readonly pipelines: readonly Pipeline[] };

let pending: Promise<Catalog> | undefined;

function loadCatalog(): Promise<Catalog> {
  pending ??= Promise.all([
    call<readonly User[]>("GET", "api/v1/users"),
    call<readonly Pipeline[]>("GET", "api/v1/pipelines"),
  ]).then(([users, pipelines]) => ({ users: users.data, pipelines: pipelines.data }));
  pending.catch(resetCatalog);
  return pending;
}

/** Reads the lists again the next time that a screen needs them. Call it after a change of the set-up. */
export function resetCatalog(): void {
  pending = undefined;
}

const none: Catalog = { users: [], pipelines: [] };

/** Returns the active users and the pipelines. The lists are empty until they are loaded. */
export function useCatalog(): Catalog {
  const [catalog, setCatalog] = useState(none);
  useEffect(() => {
    let isShown = true;
    loadCatalog().then(
      (loaded) => isShown && setCatalog(loaded),
      () => {},
    );
    return () => {
      isShown = false;
    };
  }, []);
  return catalog;
}

export function userOptions({ users }: Catalog): Option[] {
  return users.map(({ id, name }) => ({ value: id, label: name }));
}

export function pipelineOptions({ pipelines }: Catalog): Option[] {
  return pipelines.map(({ id, name }) => ({ value: id, label: name }));
}

/** Returns the stages of one pipeline, or of all with the names of the pipelines. */
export function stageOptions({ pipelines }: Catalog, pipelineId?: string): Option[] {
  return pipelines
    .filter(({ id }) => pipelineId === undefined || pipelineId === "" || id === pipelineId)
    .flatMap((pipeline) =>
      pipeline.stages.map(({ id, name }) => {
        return { value: id, label: pipelineId || pipelines.length === 1 ? name : `${pipeline.name}: ${name}` };
      }),
    );
}
