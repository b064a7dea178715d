import * as v from "valibot";
import { anyText, filledText, oneOf, wholeNumber } from "../input/scalars.ts";
import { model, type RecordOf } from "./model.ts";

/** The kinds of record that carry `customFields`. */
export const customEntities = ["account", "contact", "opportunity"] as const;
export type CustomEntity = (typeof customEntities)[number];

export const customFieldTypes = ["text", "number", "currency", "date", "list", "multi_list"] as const;

/** Where the catalogue names no other bound for a text. */
export const maxLengthDefault = 255;

export type CustomFieldValues = Readonly<Record<string, unknown>>;

/** Any object: what its keys and values may be is the tenant's catalogue to say, not a schema's. */
export const customFieldValues = v.custom<CustomFieldValues>(isObject, "must be an object of custom field values");

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A key of the catalogue: a word that needs no escape in a JSON Pointer and is no name of an object's own. */
const catalogKey = v.pipe(
  filledText(64),
  v.regex(/^[A-Za-z][A-Za-z0-9_]*$/, "must be letters, digits and _ only, a letter first"),
);

/** What people see, by option. valibot's record would silently drop an option called "constructor". */
export const optionLabels = v.custom<Readonly<Record<string, string>>>(
  (value) => isObject(value) && Object.values(value).every((label) => v.is(filledText(255), label)),
  "must be an object of texts, each 1 to 255 characters long",
);

export const customField = model("customField", "custom_fields", {
  entity: { schema: oneOf(customEntities), required: true },
  key: { schema: catalogKey, required: true },
  label: { schema: filledText(255), required: true },
  type: { schema: oneOf(customFieldTypes), required: true },
  required: { schema: v.boolean("must be true or false"), column: "boolean", default: false },
  description: { schema: v.nullable(anyText) },
  maxLength: { schema: v.nullable(wholeNumber(1)), column: "integer" },
  options: { schema: v.nullable(v.array(filledText(255))), column: "json" },
  optionLabels: { schema: v.nullable(optionLabels), column: "json" },
  position: { schema: wholeNumber(0), column: "integer", default: 0 },
});

export type CustomField = RecordOf<typeof customField>;
