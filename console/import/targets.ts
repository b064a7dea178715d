import {
  type ColumnTarget,
  columnKey,
  completeTargets,
  createTargetFinder,
  listCustomFields,
} from "crm-integrations/transfer";
import type { Entity } from "../names.ts";
import { fieldLabel } from "../texts.ts";
import { request } from "./request.ts";

/** The targets of the fields of each entity. build/console.ts sets it. */
declare const modelTargets: Readonly<Record<Entity, readonly ColumnTarget[]>>;

/** A target with the label that people see. */
export type LabeledTarget = ColumnTarget & { readonly label: string };

/** Reads the custom fields and returns all targets of an entity. */
export async function loadTargets(entity: Entity): Promise<readonly LabeledTarget[]> {
  const catalog = await listCustomFields(request, entity);
  return completeTargets(modelTargets[entity], catalog).map((target) => {
    const custom = target.field === "customFields" && catalog.find(({ key }) => key === target.member);
    return { ...target, label: custom ? custom.label : labelOf(target) };
  });
}

function labelOf({ name, field, member, isImportOnly }: ColumnTarget): string {
  if (isImportOnly) return name.split(".").map(fieldLabel).join(": ");
  return member === undefined ? fieldLabel(field) : `${fieldLabel(field)}: ${fieldLabel(member)}`;
}

/** Returns a target whose value can be imported. With `upsertBy` of `id`, the ID too. */
export function importTargets(targets: readonly LabeledTarget[], upsertBy: string): readonly LabeledTarget[] {
  return targets.flatMap((target): LabeledTarget[] => {
    if (target.name === "id" && upsertBy === "id") return [{ ...target, valueType: "keyword" }];
    return target.valueType === "readOnly" ? [] : [target];
  });
}

/** Guesses the target of each column by its name or label. An empty text ignores the column. */
export function guessTargets(header: readonly string[], targets: readonly LabeledTarget[]): readonly string[] {
  const find = createTargetFinder(targets);
  const used = new Set<string>();
  return header.map((column) => {
    const byLabel = targets.filter(({ label }) => columnKey(label) === columnKey(column));
    const found = find(column) ?? (byLabel.length === 1 ? byLabel[0] : undefined);
    if (found === undefined || found.valueType === "readOnly" || used.has(found.name)) return "";
    used.add(found.name);
    return found.name;
  });
}
