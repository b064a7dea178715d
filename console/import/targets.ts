import { type ColumnTarget, completeTargets, listCustomFields } from "crm-integrations/transfer";
import type { Entity } from "../names.ts";
import { fieldLabel, texts } from "../texts.ts";
import { request } from "./request.ts";

/** The targets of the fields of each entity, as JSON. build/console.ts sets it. */
declare const modelTargets: string;
const targetsOf: Readonly<Record<Entity, readonly ColumnTarget[]>> = JSON.parse(modelTargets);

/** A target with the label that people see, and whether a record must have a value. */
export type LabeledTarget = ColumnTarget & { readonly label: string; readonly isMandatory: boolean };

/** Reads the custom fields and returns all targets of an entity. */
export async function loadTargets(entity: Entity): Promise<readonly LabeledTarget[]> {
  const catalog = await listCustomFields(request, entity);
  return completeTargets(targetsOf[entity], catalog).map((target) => {
    const custom = target.field === "customFields" && catalog.find(({ key }) => key === target.member);
    return { ...target, label: labelOf(target), isMandatory: (custom || target).required === true };
  });
}

function labelOf({ name, field, member, label, isImportOnly }: ColumnTarget): string {
  if (label !== undefined) return label;
  if (isImportOnly) {
    const [kind, unique = ""] = name.split(".");
    return `${texts.kinds[kind as Entity]}: ${fieldLabel(unique)}`;
  }
  if (member === undefined) return fieldLabel(field);
  return `${fieldLabel(field)}: ${member === "type" ? texts.form.relatedType : fieldLabel(member)}`;
}

/** Makes the ID a target of imports if it identifies the record to update. */
export function withKey(targets: readonly LabeledTarget[], upsertBy: string): readonly LabeledTarget[] {
  return targets.map((each) => (each.name === "id" && upsertBy === "id" ? { ...each, valueType: "keyword" } : each));
}
