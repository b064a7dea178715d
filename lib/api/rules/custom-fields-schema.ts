import { currency } from "../../model/currency.ts";
import { type CustomField, defaultMaxLength, sortCatalog } from "../../model/custom-field.ts";
import { calendarDate } from "../../model/date-time.ts";
import { type JsonSchema, jsonSchemaOf } from "../../model/json-schema.ts";
import { finiteNumber, unboundedText } from "../../model/scalars.ts";

/** Returns the schema of `customFields` in a request, in the order of the catalog. */
export function customFieldsSchema(catalog: readonly CustomField[]): JsonSchema {
  const properties = sortCatalog(catalog).map((field) => [field.key, valueSchema(field)]);
  return {
    type: "object",
    description: "Custom field values by key. `null` removes a value.",
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

/** Returns the schema of the values of a custom field. All fields accept null here. */
function valueSchema(field: CustomField): JsonSchema {
  const { label, description, type, maxLength } = field;
  const about = { title: label, ...(description === null ? {} : { description }) };
  const orNull = { type: "null" } as const;
  switch (type) {
    case "text": {
      const text = jsonSchemaOf(unboundedText, "request");
      return { ...about, ...text, type: ["string", "null"], maxLength: maxLength ?? defaultMaxLength };
    }
    case "number":
      return { ...about, ...jsonSchemaOf(finiteNumber, "request"), type: ["number", "null"] };
    case "date":
      return { ...about, ...jsonSchemaOf(calendarDate, "request"), type: ["string", "null"] };
    case "currency": {
      const amount = jsonSchemaOf(finiteNumber, "request");
      const properties = { amount, currency: jsonSchemaOf(currency, "request") };
      const object = { type: "object", properties, required: ["amount", "currency"], additionalProperties: false };
      return { ...about, anyOf: [amount, object as JsonSchema, orNull] };
    }
    case "list":
      return { ...about, ...optionSchema(field, true) };
    case "multi_list":
      return { ...about, type: ["array", "null"], items: optionSchema(field, false) };
  }
}

/**
 * Returns the schema of `customFields` in a response. A stored value can have an option that was removed, or be longer
 * than a limit that was lowered, and archived fields still have values.
 */
export function storedFieldsSchema(catalog: readonly CustomField[]): JsonSchema {
  const properties = sortCatalog(catalog).map((field) => [field.key, storedValueSchema(field)]);
  return {
    type: "object",
    description: "Custom field values by key.",
    properties: Object.fromEntries(properties),
    additionalProperties: true,
  };
}

function storedValueSchema(field: CustomField): JsonSchema {
  const schema = valueSchema(field);
  const text: JsonSchema = { type: "string", description: "An option that was removed." };
  switch (field.type) {
    case "text": {
      const { maxLength: _, ...unbounded } = schema;
      return unbounded;
    }
    case "list": {
      const { title, description, ...option } = schema;
      const about = { title, ...(description === undefined ? {} : { description }) };
      return { ...about, anyOf: [option, text] } as JsonSchema;
    }
    case "multi_list":
      return { ...schema, items: { anyOf: [optionSchema(field, false), text] } };
    default:
      return schema;
  }
}

/** Returns a value that a custom field accepts, for an example. */
export function sampleValue({ type, options, maxLength }: CustomField): unknown {
  const [option = ""] = options ?? [];
  const samples = {
    text: "Text".slice(0, maxLength ?? undefined),
    number: 1,
    date: "2026-12-31",
    currency: 1,
    list: option,
  };
  return type === "multi_list" ? [option] : samples[type];
}

/** Returns the schema of one option. Options with display names are annotated. */
function optionSchema({ options, optionLabels }: CustomField, isNullable: boolean): JsonSchema {
  const values = options ?? [];
  const none = isNullable ? [null] : [];
  const labels = new Map(Object.entries(optionLabels ?? {}));
  if (labels.size === 0 || values.length === 0) return oneOfValues([...values, ...none]);
  const annotated = values.map((option): JsonSchema => ({ const: option, title: labels.get(option) ?? option }));
  return { oneOf: [...annotated, ...none.map((): JsonSchema => ({ type: "null" }))] };
}

/** Returns the schema of these values. Without values, it accepts none. */
export function oneOfValues(values: readonly (string | null)[]): JsonSchema {
  return values.length === 0 ? { not: {} } : { enum: [...values] };
}
