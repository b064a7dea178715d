import { withDefaults } from "../api/rules/record-diff.ts";
import { hashKey, maskKey } from "../auth/api-key.ts";
import { entities } from "../model/entities.ts";
import { type Kind, models } from "../model/kinds.ts";
import type { BaseRecord, FieldValues } from "../model/model.ts";
import { pointer } from "../model/validate.ts";

/** One record of a tenant file, with its place in the file. Times are absent where the file says none. */
export type TenantFileEntry = {
  readonly kind: Kind;
  readonly path: string;
  readonly id: string;
  /** Every field of the kind. */
  readonly values: FieldValues;
  readonly times: Partial<Omit<BaseRecord, "id">>;
  /** An API key in clear. */
  readonly key?: string;
  /** Whether it is of an export: what its tenant has come to is then taken as it is. */
  readonly isExported: boolean;
};

type Listed = FieldValues & { readonly id?: string };

/** The lists of a file whose entries are records just as they stand, and their kinds. */
const plainLists: readonly (readonly [string, Kind])[] = [
  ["users", "user"],
  ["customFields", "customField"],
  ["rules", "rule"],
  ["grants", "grant"],
  ...Object.values(entities).map(({ plural, kind }) => [plural, kind] as const),
];

/** All records of a file whose shape is right, each with an id, those that others refer to first. */
export function parseEntries(file: FieldValues, newId: () => string): readonly TenantFileEntry[] {
  const isExported = file.exported === true;
  const make = (
    kind: Kind,
    path: readonly (string | number)[],
    listed: Listed,
    more: FieldValues = {},
  ): TenantFileEntry => {
    const { id = newId(), createdAt, updatedAt, archivedAt, ...values } = { ...listed, ...more };
    const times = Object.entries({ createdAt, updatedAt, archivedAt }).filter(([, at]) => at !== undefined);
    const made = { kind, path: pointer(path), id, values: withDefaults(models[kind], values), isExported };
    return { ...made, times: Object.fromEntries(times) };
  };
  const entries = [make("tenant", ["tenant"], file.tenant as Listed)];
  for (const [name, kind] of plainLists) {
    for (const [index, listed] of listOf(file, name).entries()) {
      const position = kind === "customField" ? { position: listed.position ?? index } : {};
      entries.push(make(kind, [name, index], listed, position));
    }
  }
  for (const [index, { stages, ...listed }] of listOf(file, "pipelines").entries()) {
    const pipeline = make("pipeline", ["pipelines", index], listed);
    entries.push(pipeline);
    for (const [at, stage] of (stages as Listed[]).entries()) {
      entries.push(make("stage", ["pipelines", index, "stages", at], stage, { pipelineId: pipeline.id }));
    }
  }
  for (const [index, { keys, ...listed }] of listOf(file, "integrations").entries()) {
    const integration = make("integration", ["integrations", index], listed);
    entries.push(integration);
    for (const [at, { key, ...listedKey }] of (keys as (Listed & { key?: string })[]).entries()) {
      const clear = key === undefined ? {} : { hash: hashKey(key), maskedKey: maskKey(key) };
      const place = ["integrations", index, "keys", at];
      const made = make("apiKey", place, listedKey, { ...clear, integrationId: integration.id });
      entries.push(key === undefined ? made : { ...made, key });
    }
  }
  const order = Object.keys(models);
  return entries.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

function listOf(file: FieldValues, name: string): readonly Listed[] {
  return file[name] as readonly Listed[];
}
