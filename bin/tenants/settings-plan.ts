import { isDeepStrictEqual } from "node:util";
import { normalizeEmail, normalizeName } from "#lib";
import { Failure } from "../cli/errors.ts";
import type { OpenTenant } from "./tenant.ts";

type Call = OpenTenant["call"];
type Entry = Readonly<Record<string, unknown>> & { readonly id: string };

/** A set-up in the format of a tenant file. Its records, API keys and times are ignored. */
export type Settings = Readonly<Record<string, unknown>>;

/** A change of the set-up. `fields` are the names of the fields that a change writes. */
export type PlanStep = {
  readonly action: "add" | "change" | "archive";
  readonly kind: string;
  readonly name: string;
  readonly fields?: readonly string[];
  /** Makes the change. @throws Failure */
  run(): Promise<void>;
};

/** How the entries of one list become records of the set-up API. */
type SettingKind = {
  /** The list of the file. Stages are listed in their pipelines. */
  readonly list: string;
  readonly kind: string;
  /** The end of the names of its operations, such as `User` in `adminCreateUser`, and of that of the list. */
  readonly operation: readonly [one: string, many: string];
  /** Two records with the same key are the same, if the file doesn't have the ID. */
  key(values: Settings): unknown;
  /** `names` has the names of pipelines and the email addresses of users by their IDs. */
  name(values: Settings, names: ReadonlyMap<unknown, string>): string;
};

const idKey = (value: unknown): string => String(value).trim().toLowerCase();
const nameKey = (value: unknown): string => normalizeName(String(value));
const byName = { key: ({ name }: Settings) => nameKey(name), name: ({ name }: Settings) => String(name) };

/** In the order in which records refer to each other. */
const settingKinds: readonly SettingKind[] = [
  {
    ...{ list: "users", kind: "user", operation: ["User", "Users"] },
    key: ({ email }) => normalizeEmail(String(email)),
    name: ({ email }) => String(email),
  },
  { list: "pipelines", kind: "pipeline", operation: ["Pipeline", "Pipelines"], ...byName },
  {
    ...{ list: "stages", kind: "stage", operation: ["Stage", "Stages"] },
    key: ({ pipelineId, name }) => [pipelineId, nameKey(name)],
    name: ({ pipelineId, name }, names) => `${name} of ${names.get(pipelineId)}`,
  },
  {
    ...{ list: "customFields", kind: "custom field", operation: ["CustomField", "CustomFields"] },
    key: ({ entity, key }) => [entity, key],
    name: ({ entity, key }) => `${entity}.${key}`,
  },
  {
    ...{ list: "rules", kind: "rule", operation: ["Rule", "Rules"] },
    key: ({ entity, field, when = null }) => [entity, field, when],
    name: ({ entity, field }) => `${entity}.${field}`,
  },
  { list: "integrations", kind: "integration", operation: ["Integration", "Integrations"], ...byName },
  {
    ...{ list: "grants", kind: "grant", operation: ["Grant", "Grants"] },
    key: ({ userId }) => userId,
    name: ({ userId }, names) => `for user ${names.get(userId) ?? userId}`,
  },
];

/** Members of a tenant file that the set-up API doesn't take. */
const ignored = ["id", "createdAt", "updatedAt", "archivedAt", "stages", "keys"];

/**
 * Returns the changes that make the set-up of the tenant that of the file. `prune` also archives the records of the
 * file's lists that it doesn't have. Additions come first, archiving last.
 * @throws Failure if a list of the file has the wrong form
 */
export async function planSettings(settings: Settings, prune: boolean, call: Call): Promise<readonly PlanStep[]> {
  /** IDs of records by their IDs in the file. */
  const ids = new Map<string, string>();
  const names = new Map<unknown, string>();
  const nameOf = ({ id }: Entry): string => names.get(id) ?? id;
  const steps: PlanStep[] = [];
  const archived: PlanStep[] = [];
  for (const settingKind of settingKinds) {
    const wanted = entriesOf(settings, settingKind.list);
    if (wanted === undefined) continue;
    const stored = await listAll(call, settingKind);
    for (const entry of [...wanted, ...stored]) names.set(entry.id, settingKind.name(entry, names));
    const matched = new Set<string>();
    for (const entry of wanted) {
      const resolved = resolve(entry, ids);
      const free = stored.filter(({ id }) => !matched.has(id));
      const isSame = (each: Entry) => isDeepStrictEqual(settingKind.key(each), settingKind.key(resolved));
      const record = free.find(({ id }) => id === entry.id) ?? free.find(isSame);
      if (record === undefined) steps.push(...addition({ settingKind, name: nameOf(entry), call }, entry, ids));
      else {
        matched.add(record.id);
        ids.set(entry.id, record.id);
        const fields = Object.keys(valuesOf(resolved)).filter(
          (name) => !isDeepStrictEqual(record[name], resolved[name]) && !endsDefault(resolved, name, wanted),
        );
        const values = () => resolve(entry, ids);
        if (fields.length > 0)
          steps.push(change({ settingKind, name: nameOf(record), call }, record.id, fields, values));
      }
    }
    const others = prune ? stored.filter((each) => !matched.has(each.id) && !isInArchivedPipeline(each, ids)) : [];
    archived.unshift(...others.map((record) => archiving({ settingKind, name: nameOf(record), call }, record.id)));
  }
  return [...steps, ...archived];
}

/** Returns whether a field is the default that a pipeline loses because another one of the file gets it. */
function endsDefault(entry: Entry, field: string, wanted: readonly Entry[]): boolean {
  return field === "isDefault" && entry.isDefault === false && wanted.some(({ isDefault }) => isDefault === true);
}

/** Returns whether a record is a stage of a pipeline that the file doesn't have. It is archived with the pipeline. */
function isInArchivedPipeline({ pipelineId }: Entry, ids: ReadonlyMap<string, string>): boolean {
  return pipelineId !== undefined && ![...ids.values()].includes(String(pipelineId));
}

/** Returns the entries of a list of the file, with an ID each. Undefined if the file doesn't have the list. */
function entriesOf(settings: Settings, list: string): readonly Entry[] | undefined {
  if (list === "stages") {
    const pipelines = entriesOf(settings, "pipelines");
    return pipelines?.flatMap((pipeline) => {
      const stages = pipeline.stages === undefined ? [] : toEntries(pipeline.stages, `${pipeline.id}/stages`);
      return stages.map((stage, index) => ({ order: index + 1, ...stage, pipelineId: pipeline.id }));
    });
  }
  const entries = settings[list];
  if (entries === undefined) return undefined;
  const listed = toEntries(entries, list);
  return list === "customFields" ? listed.map((entry, position) => ({ position, ...entry })) : listed;
}

function toEntries(entries: unknown, path: string): readonly Entry[] {
  const isObject = (entry: unknown) => typeof entry === "object" && entry !== null && !Array.isArray(entry);
  if (!Array.isArray(entries) || !entries.every(isObject)) throw new Failure(`${path} must be a list of objects.`);
  return (entries as Settings[])
    .map((entry, index): Entry => ({ ...entry, id: entry.id === undefined ? `${path}/${index}` : idKey(entry.id) }))
    .filter(({ archivedAt }) => (archivedAt ?? null) === null);
}

/** Returns an entry with the IDs of the records that it refers to. */
function resolve(entry: Entry, ids: ReadonlyMap<string, string>): Entry {
  const idOf = (id: unknown) => ids.get(idKey(id)) ?? id;
  const { pipelineId, userId, when } = entry;
  const { stageIds } = (when ?? {}) as { stageIds?: unknown };
  return {
    ...entry,
    ...(pipelineId === undefined ? {} : { pipelineId: idOf(pipelineId) }),
    ...(userId === undefined ? {} : { userId: idOf(userId) }),
    ...(Array.isArray(stageIds) ? { when: { ...(when as object), stageIds: stageIds.map(idOf) } } : {}),
  };
}

/** Returns the members that the set-up API takes. */
function valuesOf(entry: Entry): Settings {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !ignored.includes(name)));
}

async function listAll(call: Call, { operation: [, many] }: SettingKind): Promise<readonly Entry[]> {
  const records: Entry[] = [];
  let cursor: string | null | undefined;
  do {
    const query = typeof cursor === "string" ? { cursor } : { limit: 200 };
    const { body } = await call(`adminList${many}`, { query });
    const page = body as { readonly data: readonly Entry[]; readonly nextCursor: string | null };
    records.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return records;
}

type StepOf = { readonly settingKind: SettingKind; readonly name: string; readonly call: Call };

function addition(
  { settingKind: { kind, operation }, name, call }: StepOf,
  entry: Entry,
  ids: Map<string, string>,
): readonly PlanStep[] {
  // The stages of a new pipeline are added with it.
  if (kind === "stage" && !ids.has(String(entry.pipelineId))) return [];
  const run = async () => {
    const stages = (
      entry.stages === undefined ? [] : toEntries(entry.stages, `${entry.id}/stages`)
    ) as readonly Entry[];
    const body = { ...valuesOf(resolve(entry, ids)), ...(kind === "pipeline" ? { stages: stages.map(valuesOf) } : {}) };
    const { data } = (await call(`adminCreate${operation[0]}`, { body })).body as { readonly data: Entry };
    ids.set(entry.id, data.id);
    if (kind !== "pipeline") return;
    const created = await call("adminListStages", { query: { pipelineId: data.id, limit: 200 } });
    const records = (created.body as { readonly data: readonly Entry[] }).data;
    for (const [index, stage] of stages.entries()) {
      const record = records.find(({ order, name }) => order === (stage.order ?? index + 1) && name === stage.name);
      if (record !== undefined) ids.set(stage.id, record.id);
    }
  };
  return [{ action: "add", kind, name, run }];
}

function change(
  { settingKind: { kind, operation }, name, call }: StepOf,
  id: string,
  fields: readonly string[],
  values: () => Entry,
): PlanStep {
  const run = async () => {
    const body = Object.fromEntries(fields.map((field) => [field, values()[field]]));
    await call(`adminUpdate${operation[0]}`, { params: { id }, body });
  };
  return { action: "change", kind, name, fields, run };
}

function archiving({ settingKind: { kind, operation }, name, call }: StepOf, id: string): PlanStep {
  const run = async () => {
    await call(`adminArchive${operation[0]}`, { params: { id } });
  };
  return { action: "archive", kind, name, run };
}
