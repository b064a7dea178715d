import * as v from "valibot";
import { model, type RecordOf } from "./model.ts";
import { integer, jsonSchema, longText, maxTextLength, nonEmptyText } from "./scalars.ts";

/** The kinds of record that carry `customFields`. */
export const customEntities = ["account", "contact", "opportunity"] as const;

export const customFieldTypes = ["text", "number", "currency", "date", "list", "multi_list"] as const;

/** Where the catalogue names no other bound for a text. */
export const defaultMaxLength = 255;

export type CustomFieldValues = Readonly<Record<string, unknown>>;

/** Any object: what its keys and values may be is the tenant's catalogue to say, not a schema's. */
export const customFieldValues = v.pipe(
  v.custom<CustomFieldValues>(isObject, "must be an object of custom field values"),
  jsonSchema({
    type: "object",
    title: "CustomFieldValues",
    additionalProperties: {
      description:
        "By the type of the field: text and list a string, number a number, currency a number or an object, date " +
        "YYYY-MM-DD, multi_list a list of strings.",
      anyOf: [
        { type: "string" },
        { type: "number" },
        { type: "array", items: { type: "string" } },
        {
          type: "object",
          properties: {
            amount: { type: "number", description: "In units of currency." },
            currency: { type: "string", description: "An ISO 4217 code." },
          },
          required: ["amount", "currency"],
          additionalProperties: false,
        },
        { type: "null" },
      ],
    },
  }),
);

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A key of the catalogue: a word that needs no escape in a JSON Pointer and is no name of an object's own. */
export const customFieldKey = v.pipe(
  nonEmptyText(64),
  jsonSchema({ pattern: "^[A-Za-z][A-Za-z0-9_]*$" }),
  v.regex(/^[A-Za-z][A-Za-z0-9_]*$/, "must be letters, digits and _ only, a letter first"),
);

/** What people see, by option. valibot's record would silently drop an option called "constructor". */
export const optionLabels = v.pipe(
  v.custom<Readonly<Record<string, string>>>(
    (value) => isObject(value) && Object.values(value).every((label) => v.is(nonEmptyText(255), label)),
    "must be an object of texts, each 1 to 255 characters long",
  ),
  jsonSchema({ type: "object", additionalProperties: { type: "string", minLength: 1, maxLength: 255 } }),
);

const fields = {
  entity: { schema: v.picklist(customEntities), required: true },
  key: { schema: customFieldKey, required: true },
  label: { schema: nonEmptyText(255), required: true },
  type: { schema: v.picklist(customFieldTypes), required: true },
  required: { schema: v.boolean("must be true or false"), column: "boolean", default: false },
  description: { schema: v.nullable(longText) },
  maxLength: { schema: v.nullable(integer(1, maxTextLength)), column: "integer" },
  options: { schema: v.nullable(v.array(nonEmptyText(255))), column: "json" },
  optionLabels: { schema: v.nullable(optionLabels), column: "json" },
  position: { schema: integer(0), column: "integer", default: 0 },
} as const;

export const customField = model("customField", "custom_fields", fields, "A field of the tenant's own.", {
  entity: "The kind of record that has it.",
  key: "Its name inside customFields. Taken once per entity.",
  label: "What people see.",
  type: "What its values are; see CustomFieldValues.",
  required: "Whether a new record must have it, and none may lose it.",
  description: "What it is for.",
  maxLength: "For text only: the most characters (Unicode code points) of a value.",
  options: "For list and multi_list only: the allowed values. Case does not count when they are sent.",
  optionLabels: "For list and multi_list only: what people see, by option.",
  position: "Its place in the catalogue, the smallest number first.",
});

export type CustomField = RecordOf<typeof customField>;
