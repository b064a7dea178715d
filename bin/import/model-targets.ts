import { type Field, models } from "#lib";
import type { OpenTenant } from "../tenants/tenant.ts";
import {
  type ColumnTarget,
  type CustomField,
  completeTargets,
  type Entity,
  memberOf,
  readOnlyTarget,
} from "./column-target.ts";

/** Members of object fields, which the models don't define. */
const members: Readonly<Record<string, readonly string[]>> = {
  address: ["street", "city", "state", "postalCode", "country"],
};

/** Text fields whose values are trimmed. */
const keywordFields = ["email", "status", "priority", "currency", "expectedCloseDate", "dueDate"];

/** Returns the targets of the fields of an entity, with one target `customFields` for all custom fields. */
export function modelTargets(entity: Entity): readonly ColumnTarget[] {
  return Object.entries<Field>(models[entity].fields).flatMap(([name, field]) => fieldTargets(name, field));
}

/** Returns all targets of an entity in the order of an export. */
export function listTargets(
  entity: Entity,
  catalog: readonly CustomField[],
  upsertBy?: string,
): readonly ColumnTarget[] {
  return completeTargets(modelTargets(entity), catalog, upsertBy);
}

function fieldTargets(name: string, field: Field): ColumnTarget[] {
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

/** Returns the custom fields of an entity. Tasks have none. */
export async function listCustomFields(
  { call }: Pick<OpenTenant, "call">,
  entity: Entity,
): Promise<readonly CustomField[]> {
  if (entity === "task") return [];
  return ((await call("listCustomFields", { query: { entity } })).body as { data: readonly CustomField[] }).data;
}
