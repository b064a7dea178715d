import { type Field, models } from "#lib";
import type { OpenTenant } from "../tenants/tenant.ts";

export const entities = ["account", "contact", "opportunity", "task"] as const;
export type Entity = (typeof entities)[number];

/** The definition of a custom field. */
export type CustomField = { readonly key: string; readonly type: string; readonly options?: readonly string[] | null };

/** How cells are parsed and formatted. A `keyword` is trimmed. A `readOnly` value is only exported. */
export type ValueType =
  | "text"
  | "keyword"
  | "number"
  | "currency"
  | "options"
  | "reference"
  | "references"
  | "readOnly";

/** A value that a column can have: a field, a member of an object field, or a custom field. */
export type ColumnTarget = {
  /** Column name: `name`, `address.city`, `customFields.segment`. */
  readonly name: string;
  /** Alternative column name, if no other target has it. */
  readonly alias?: string;
  readonly field: string;
  readonly member?: string;
  readonly valueType: ValueType;
  /** Kind of a reference. Undefined if `relatedTo.type` has the kind. */
  readonly kind?: string;
  readonly required?: boolean;
  readonly isDate?: boolean;
  /** The options of a custom list field. */
  readonly options?: readonly string[];
  /** Whether an empty cell can clear it. */
  readonly nullable: boolean;
};

/** Members of object fields, which the models don't define. */
const members: Readonly<Record<string, readonly string[]>> = {
  address: ["street", "city", "state", "postalCode", "country"],
};

/** Text fields whose values are trimmed. */
const keywordFields = ["email", "status", "priority", "currency", "expectedCloseDate", "dueDate"];

const customForms: Readonly<Record<string, ValueType>> = {
  text: "text",
  number: "number",
  currency: "currency",
  date: "keyword",
  list: "text",
  multi_list: "options",
};

/** Returns all targets of an entity in the order of an export. The ID is read only to find the record to update. */
export function listTargets(
  entity: Entity,
  catalog: readonly CustomField[],
  upsertBy?: string,
): readonly ColumnTarget[] {
  const fields = Object.entries<Field>(models[entity].fields).flatMap(([name, field]) => {
    return name === "customFields" ? customTargets(catalog) : fieldTargets(name, field);
  });
  return [
    upsertBy === "id" ? { name: "id", field: "id", valueType: "keyword", nullable: false } : readOnlyTarget("id"),
    ...fields,
    readOnlyTarget("createdAt"),
    readOnlyTarget("updatedAt"),
    readOnlyTarget("archivedAt"),
  ];
}

function fieldTargets(name: string, field: Field): ColumnTarget[] {
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

function customTargets(catalog: readonly CustomField[]): ColumnTarget[] {
  return catalog.map(({ key, type, options }) => {
    const target = memberOf("customFields", key, customForms[type] ?? "text", key);
    if (type === "date") return { ...target, isDate: true };
    return type === "list" && options ? { ...target, options } : target;
  });
}

function memberOf(field: string, member: string, valueType: ValueType, alias?: string): ColumnTarget {
  const target = { name: `${field}.${member}`, field, member, valueType, nullable: true };
  return alias === undefined ? target : { ...target, alias };
}

function readOnlyTarget(name: string): ColumnTarget {
  return { name, field: name, valueType: "readOnly", nullable: false };
}

/** Returns the custom fields of an entity. Tasks have none. */
export async function listCustomFields(
  { call }: Pick<OpenTenant, "call">,
  entity: Entity,
): Promise<readonly CustomField[]> {
  if (entity === "task") return [];
  return ((await call("listCustomFields", { query: { entity } })).body as { data: readonly CustomField[] }).data;
}
