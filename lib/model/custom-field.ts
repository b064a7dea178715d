import * as v from "valibot";
import { model, type RecordOf } from "./model.ts";
import { integer, jsonSchema, longText, maxTextLength, nonEmptyPattern, nonEmptyText } from "./scalars.ts";

/** The kinds that have `customFields`. */
export const customFieldEntities = ["account", "contact", "opportunity"] as const;

export const customFieldTypes = ["text", "number", "currency", "date", "list", "multi_list"] as const;

/** The maximum length of a text field without a `maxLength`. */
export const defaultMaxLength = 255;

export type CustomFieldValues = Readonly<Record<string, unknown>>;

/** Accepts any object. The keys and values are checked against the tenant's catalog later. */
export const customFieldValues = v.pipe(
  v.custom<CustomFieldValues>(isObject, "must be an object of custom field values"),
  jsonSchema({
    type: "object",
    title: "CustomFieldValues",
    description:
      "Values by key of the custom field. `text` and `list`: a string. `number`: a number. `currency`: a number, or an " +
      "object with `amount` (euros, not cents) and `currency` (ISO 4217). `date`: YYYY-MM-DD. `multi_list`: a list of " +
      "strings.",
    additionalProperties: true,
  }),
);

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A key in `customFields`. It needs no escaping in a JSON Pointer and can't be `__proto__`. */
export const customFieldKey = v.pipe(
  nonEmptyText(64),
  jsonSchema({ pattern: "^[A-Za-z][A-Za-z0-9_]*$" }),
  v.regex(/^[A-Za-z][A-Za-z0-9_]*$/, "must start with a letter and contain only letters, digits and _"),
);

/** Display names by option. Doesn't use `v.record`, because that drops an option with the name "constructor". */
export const optionLabels = v.pipe(
  v.custom<Readonly<Record<string, string>>>(
    (value) => isObject(value) && Object.values(value).every((label) => v.is(nonEmptyText(255), label)),
    "must be an object of strings, each 1 to 255 characters long, not only whitespace, and without NUL characters",
  ),
  jsonSchema({
    type: "object",
    additionalProperties: { type: "string", minLength: 1, maxLength: 255, pattern: nonEmptyPattern },
  }),
);

const fields = {
  entity: { schema: v.picklist(customFieldEntities), required: true, readOnly: "update" },
  key: {
    schema: customFieldKey,
    required: true,
    readOnly: "update",
    unique: (key: string) => key.toLowerCase(),
    uniqueWithin: "entity",
  },
  label: { schema: nonEmptyText(255), required: true },
  type: { schema: v.picklist(customFieldTypes), required: true, readOnly: "update" },
  required: { schema: v.boolean("must be true or false"), column: "boolean", default: false },
  description: { schema: v.nullable(longText) },
  maxLength: { schema: v.nullable(integer(1, maxTextLength)), column: "integer" },
  options: { schema: v.nullable(v.array(nonEmptyText(255))), column: "json" },
  optionLabels: { schema: v.nullable(optionLabels), column: "json" },
  position: { schema: integer(0), column: "integer", default: 0 },
} as const;

export const customField = model("customField", "custom_fields", fields, "A field that the tenant defines.", {
  entity: "Kind of the records that have the field.",
  key:
    "Name of the field in `customFields`. Unique per entity, and case is ignored. The key of an archived field stays " +
    "taken for fields of other types, because records keep its values.",
  label: "Display name.",
  type: "Type of the values; see CustomFieldValues.",
  required: "Whether every new record needs a value.",
  description: "Description.",
  maxLength: "For `text` only: maximum length in characters (Unicode code points).",
  options: "For `list` and `multi_list` only: the allowed values. Requests can use any case.",
  optionLabels: "For `list` and `multi_list` only: display names by option.",
  position: "Position in the catalog, in ascending order.",
});

export type CustomField = RecordOf<typeof customField>;

/** Returns whether two keys of custom fields are the same. Case is ignored. */
export function isSameKey(key: unknown, other: unknown): boolean {
  return String(key).toLowerCase() === String(other).toLowerCase();
}

/** Sorts custom fields by their position in the catalog. */
export function sortCatalog(fields: readonly CustomField[]): readonly CustomField[] {
  return fields.toSorted((a, b) => a.position - b.position || (a.key < b.key ? -1 : 1));
}
