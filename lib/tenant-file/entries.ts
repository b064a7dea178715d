import { withDefaults } from "../api/rules/record-diff.ts";
import { hashKey, maskKey } from "../auth/api-key.ts";
import { type Kind, models } from "../model/kinds.ts";
import type { BaseRecord, FieldValues } from "../model/model.ts";
import { jsonPointer } from "../model/validate.ts";
import { listKinds, nestedLists } from "./format.ts";

/** A record of a tenant file. `path` is its JSON Pointer in the file. */
export type TenantFileEntry = {
  readonly kind: Kind;
  readonly path: string;
  readonly id: string;
  /** All fields of the kind, with defaults for those that the file omits. */
  readonly values: FieldValues;
  /** Times of the record in milliseconds. The file may omit them. */
  readonly times: Partial<Omit<BaseRecord, "id">>;
  /** The API key in plain text, if the file contains it. */
  readonly key?: string;
  /** Whether the file is an export. Its values are then loaded as they were stored. */
  readonly isExported: boolean;
};

type ListEntry = FieldValues & { readonly id?: string };

/**
 * Returns the records of a file that matches `tenantFileSchema`, after the records that they reference. Adds missing
 * IDs.
 */
export function toEntries(file: FieldValues, newId: () => string): readonly TenantFileEntry[] {
  const isExported = file.exported === true;
  const toEntry = (
    kind: Kind,
    path: readonly (string | number)[],
    listed: ListEntry,
    extra: FieldValues = {},
  ): TenantFileEntry => {
    const { id = newId(), createdAt, updatedAt, archivedAt, ...values } = { ...listed, ...extra };
    const times = Object.entries({ createdAt, updatedAt, archivedAt }).filter(([, at]) => at !== undefined);
    const entry = { kind, path: jsonPointer(path), id, values: withDefaults(models[kind], values), isExported };
    return { ...entry, times: Object.fromEntries(times) };
  };
  const entries = [toEntry("tenant", ["tenant"], file.tenant as ListEntry)];
  for (const [name, kind] of Object.entries(listKinds)) {
    if (kind in nestedLists) continue;
    for (const [index, listed] of listOf(file, name).entries()) {
      const position = kind === "customField" ? { position: listed.position ?? index } : {};
      entries.push(toEntry(kind, [name, index], listed, position));
    }
  }
  for (const [index, { stages, ...listed }] of listOf(file, "pipelines").entries()) {
    const pipeline = toEntry("pipeline", ["pipelines", index], listed);
    entries.push(pipeline);
    for (const [at, stage] of (stages as ListEntry[]).entries()) {
      entries.push(toEntry("stage", ["pipelines", index, "stages", at], stage, { pipelineId: pipeline.id }));
    }
  }
  for (const [index, { keys, ...listed }] of listOf(file, "integrations").entries()) {
    const integration = toEntry("integration", ["integrations", index], listed);
    entries.push(integration);
    for (const [at, { key, ...listedKey }] of (keys as (ListEntry & { key?: string })[]).entries()) {
      const hashed = key === undefined ? {} : { hash: hashKey(key), maskedKey: maskKey(key) };
      const path = ["integrations", index, "keys", at];
      const entry = toEntry("apiKey", path, listedKey, { ...hashed, integrationId: integration.id });
      entries.push(key === undefined ? entry : { ...entry, key });
    }
  }
  const order = Object.keys(models);
  return entries.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

function listOf(file: FieldValues, name: string): readonly ListEntry[] {
  return file[name] as readonly ListEntry[];
}
