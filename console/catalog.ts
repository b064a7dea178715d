import type { Pipeline, User } from "crm-integrations/client";
import { useLayoutEffect, useState } from "preact/hooks";
import { read, readAll } from "./api.ts";
import type { Named } from "./names.ts";
import { texts } from "./texts.ts";
import { namedOptions } from "./ui/choices.tsx";
import type { Option } from "./ui/field-spec.ts";

/** Lists that many screens need. */
export type Catalog = { readonly users: readonly User[]; readonly pipelines: readonly Pipeline[] };

const none: Catalog = { users: [], pipelines: [] };

let pending: Promise<Catalog> | undefined;
let loaded = none;

/** Returns the users and the pipelines. They are read once. */
export function loadCatalog(): Promise<Catalog> {
  pending ??= Promise.all([read<readonly User[]>("api/v1/users"), read<readonly Pipeline[]>("api/v1/pipelines")]).then(
    ([users, pipelines]) => {
      loaded = { users, pipelines };
      return loaded;
    },
  );
  pending.catch(resetCatalog);
  return pending;
}

type Names = ReadonlyMap<string, string>;
const noNames: Names = new Map();
let pendingNames: Promise<Names> | undefined;

function loadNames(): Promise<Names> {
  const readList = <T extends Named>(list: string) => readAll<T>(`api/admin/${list}`, { includeArchived: true });
  pendingNames ??= Promise.all([
    readList("users"),
    readList("integrations"),
    readList("pipelines"),
    readList<Named & { readonly pipelineId: string }>("stages"),
  ]).then(([users, integrations, pipelines, stages]) => {
    const names = new Map([...users, ...integrations, ...pipelines].map(({ id, name = id }) => [id, name]));
    for (const { id, name = id, pipelineId } of stages)
      names.set(id, pipelines.length === 1 ? name : `${names.get(pipelineId)}: ${name}`);
    return names;
  });
  pendingNames.catch(resetCatalog);
  return pendingNames;
}

/** Reads the lists again the next time that a screen needs them. Call it after a change of the set-up. */
export function resetCatalog(): void {
  pending = undefined;
  pendingNames = undefined;
  loaded = none;
}

/** Returns what `load` returns, and `initial` until then. Another version loads it again. */
function useLoaded<T>(load: () => Promise<T>, initial: T, version = ""): T {
  const [value, setValue] = useState(initial);
  useLayoutEffect(() => {
    let isShown = true;
    load().then(
      (loaded) => isShown && setValue(loaded),
      () => {},
    );
    return () => {
      isShown = false;
    };
  }, [version]);
  return value;
}

/** Returns the names of users, integrations, pipelines and stages by ID, archived ones too. Empty until they are loaded. */
export function useSetUpNames(version: string): Names {
  return useLoaded(loadNames, noNames, version);
}

/** Returns the users and the pipelines. The lists are empty until they are loaded. */
export function useCatalog(): Catalog {
  return useLoaded(loadCatalog, loaded);
}

/** Returns the users. An inactive one is named as such, because a record can still have it. */
export function userOptions({ users }: Catalog): Option[] {
  return users.map(({ id, name, active }) => ({
    value: id,
    label: active ? name : `${name} (${texts.values.inactive})`,
  }));
}

export function pipelineOptions({ pipelines }: Catalog): Option[] {
  return namedOptions(pipelines);
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
