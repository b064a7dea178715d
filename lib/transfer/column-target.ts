/** The definition of a custom field. */
export type CustomField = {
  readonly key: string;
  readonly type: string;
  readonly label?: string;
  readonly required?: boolean;
  readonly options?: readonly string[] | null;
};

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
  /** The label that people see. */
  readonly label?: string;
  readonly field: string;
  readonly member?: string;
  readonly valueType: ValueType;
  /** Kind of a reference. Undefined if `relatedTo.type` has it. */
  readonly kind?: string;
  readonly required?: boolean;
  readonly isDate?: boolean;
  /** Whether a date has a time and a time zone. */
  readonly hasTime?: boolean;
  /** The options of a custom field of the type list or multi_list. */
  readonly options?: readonly string[];
  /** Whether an empty cell can clear it. */
  readonly nullable: boolean;
  /** Whether exports have no such column, because another column has the value. */
  readonly isImportOnly?: true;
};

const customForms: Readonly<Record<string, ValueType>> = {
  text: "text",
  number: "number",
  currency: "currency",
  date: "keyword",
  list: "text",
  multi_list: "options",
};

/**
 * Returns all targets of an entity in the order of an export. The target `customFields` of `fields` becomes the custom
 * fields. The ID is read only to find the record to update.
 */
export function completeTargets(
  fields: readonly ColumnTarget[],
  catalog: readonly CustomField[],
  upsertBy?: string,
): readonly ColumnTarget[] {
  return [
    upsertBy === "id" ? { name: "id", field: "id", valueType: "keyword", nullable: false } : readOnlyTarget("id"),
    ...fields.flatMap((target) => (target.name === "customFields" ? customTargets(catalog) : [target])),
    readOnlyTarget("createdAt"),
    readOnlyTarget("updatedAt"),
    readOnlyTarget("archivedAt"),
  ];
}

function customTargets(catalog: readonly CustomField[]): ColumnTarget[] {
  return catalog.map(({ key, type, label, options }) => {
    const member = memberOf("customFields", key, customForms[type] ?? "text", key);
    const target = label === undefined ? member : { ...member, label };
    if (type === "date") return { ...target, isDate: true };
    return type.endsWith("list") && options ? { ...target, options } : target;
  });
}

/** Returns the target of a member of an object field, such as `address.city`. */
export function memberOf(field: string, member: string, valueType: ValueType, alias?: string): ColumnTarget {
  const target = { name: `${field}.${member}`, field, member, valueType, nullable: true };
  return alias === undefined ? target : { ...target, alias };
}

/** Returns whether the value of a target is the ID of another record, or a list of them. */
export function isReference({ valueType }: ColumnTarget): boolean {
  return valueType === "reference" || valueType === "references";
}

/** Returns whether imports can set the value of a target. */
export function isWritable({ valueType }: ColumnTarget): boolean {
  return valueType !== "readOnly";
}

/** Returns a target that exports write and imports skip. */
export function readOnlyTarget(name: string): ColumnTarget {
  return { name, field: name, valueType: "readOnly", nullable: false };
}
