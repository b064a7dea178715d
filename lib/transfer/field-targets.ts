import type { Field } from "../model/model.ts";
import { type ColumnTarget, memberOf, readOnlyTarget } from "./column-target.ts";
import { entities, uniqueFields } from "./entities.ts";

/** Members of object fields, which the models don't define. */
const members: Readonly<Record<string, readonly string[]>> = {
  address: ["street", "city", "state", "postalCode", "country"],
};

/** Text fields whose values are trimmed. */
const keywordFields = ["email", "status", "priority", "currency", "expectedCloseDate", "dueDate"];

/** Returns the targets of the fields of a model, with one target `customFields` for all custom fields. */
export function fieldTargets(fields: Readonly<Record<string, Field>>): readonly ColumnTarget[] {
  return Object.entries(fields).flatMap(([name, field]) => targetsOf(name, field));
}

function targetsOf(name: string, field: Field): ColumnTarget[] {
  if (name === "customFields") return [{ name, field: name, valueType: "text", nullable: true }];
  const { schema, column, readOnly, reference, required } = field;
  // A required field can be set in a new record.
  if (readOnly !== undefined && required !== true) return [readOnlyTarget(name)];
  const nullable = schema.type === "nullable";
  const base = { name, field: name, nullable, required: required === true };
  const memberNames = members[name];
  if (memberNames !== undefined) return memberNames.map((member) => memberOf(name, member, "text", member));
  if (reference === "type") {
    const id = memberOf(name, "id", "reference", name.replace(/To$/, ""));
    return [memberOf(name, "type", "keyword"), id, ...relationTargets(name)];
  }
  if (typeof reference === "string") {
    const valueType = column === "links" ? "references" : "reference";
    const alias = name.replace(/Id(s?)$/, "$1");
    return [{ ...base, nullable: nullable || valueType === "references", valueType, kind: reference, alias }];
  }
  const hasTime = column === "timestamp";
  if (hasTime || /Date$/.test(name)) return [{ ...base, valueType: "keyword", isDate: true, hasTime }];
  return [{ ...base, valueType: column === "real" ? "number" : keywordFields.includes(name) ? "keyword" : "text" }];
}

/** Returns targets that name the related record by a unique field of its kind, such as `contact.email`. */
function relationTargets(field: string): ColumnTarget[] {
  return entities.flatMap((kind): ColumnTarget[] => {
    const unique = uniqueFields[kind];
    if (unique === undefined) return [];
    const target = { ...memberOf(field, "id", "reference"), nullable: false, isImportOnly: true } as const;
    return [{ ...target, name: `${kind}.${unique}`, kind }];
  });
}
