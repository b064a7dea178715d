import type { Field } from "../model/model.ts";
import { type ColumnTarget, memberOf, readOnlyTarget } from "./column-target.ts";

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
  if (readOnly !== undefined) return [readOnlyTarget(name)];
  const nullable = schema.type === "nullable";
  const base = { name, field: name, nullable, required: required === true };
  const memberNames = members[name];
  if (memberNames !== undefined) return memberNames.map((member) => memberOf(name, member, "text", member));
  if (reference === "type") {
    return [memberOf(name, "type", "keyword"), memberOf(name, "id", "reference", name.replace(/To$/, ""))];
  }
  if (typeof reference === "string") {
    const valueType = column === "links" ? "references" : "reference";
    const alias = name.replace(/Id(s?)$/, "$1");
    return [{ ...base, nullable: nullable || valueType === "references", valueType, kind: reference, alias }];
  }
  if (/Date$/.test(name)) return [{ ...base, valueType: "keyword", isDate: true }];
  return [{ ...base, valueType: column === "real" ? "number" : keywordFields.includes(name) ? "keyword" : "text" }];
}
