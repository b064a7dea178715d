import * as v from "valibot";
import { endpoint } from "../api/endpoint.ts";
import {
  type CustomField,
  customField,
  customFieldEntities,
  defaultMaxLength,
  sortCatalog,
} from "../model/custom-field.ts";
import type { Scope } from "../model/integration.ts";
import { describe, jsonSchema } from "../model/scalars.ts";
import { visibleFieldSchemas } from "../model/schemas.ts";

const scopeOf: Readonly<Record<string, Scope>> = {
  account: "accounts:read",
  contact: "contacts:read",
  opportunity: "opportunities:read",
};

const tag = {
  name: "Custom fields",
  description: "The fields that the tenant defines for accounts, contacts and opportunities.",
};
const entity = describe(v.picklist(customFieldEntities), "Kind of the records that have the fields.");
const optional = (name: "description" | "maxLength" | "options" | "optionLabels") => {
  const { schema } = customField.fields[name];
  return v.optional(describe(v.unwrap(schema), customField.descriptions?.fields[name] ?? ""));
};
const data = v.pipe(
  v.strictObject({
    ...visibleFieldSchemas(customField, "key", "label", "type", "required"),
    description: optional("description"),
    maxLength: optional("maxLength"),
    options: optional("options"),
    optionLabels: optional("optionLabels"),
  }),
  jsonSchema({
    title: "CustomField",
    description: "Members that don't apply to the field type are omitted.",
  }),
);

/** The endpoint of the custom field catalog. */
export const customFields = [
  endpoint({
    name: "listCustomFields",
    method: "GET",
    path: "/custom-fields",
    summary: "List the custom fields of an entity",
    description: "Returns all custom fields of an entity, sorted by their position in the catalog.",
    tag,
    scope: (query) => (Object.hasOwn(scopeOf, query.entity ?? "") ? scopeOf[query.entity ?? ""] : undefined),
    query: { entity },
    success: { status: 200, data, collection: "list" },
    example: { query: { entity: "account" } },
    async handle({ caller, query }, { storage }) {
      const where = { entity: query.entity };
      const [found, rules] = await Promise.all([
        storage.list(caller.tenantId, "customField", { where }),
        storage.list(caller.tenantId, "rule", { where }),
      ]);
      const required = new Set(rules.filter(({ when }) => when === null).map(({ field }) => field));
      const data = sortCatalog(found).map((field) => definition(field, required.has(`customFields.${field.key}`)));
      return { status: 200, body: { data } };
    },
  }),
];

/** Returns the JSON of a custom field, without the members that don't apply to its type. */
function definition(field: CustomField, isRequiredByRule: boolean): Record<string, unknown> {
  const { key, label, type, required, description, maxLength, options } = field;
  const labels = (options ?? []).map((option) => [option, labelOf(field, option)]);
  return {
    key,
    label,
    type,
    required: required || isRequiredByRule,
    ...(description === null ? {} : { description }),
    ...(type === "text" ? { maxLength: maxLength ?? defaultMaxLength } : {}),
    ...(options === null ? {} : { options, optionLabels: Object.fromEntries(labels) }),
  };
}

function labelOf({ optionLabels }: CustomField, option: string): string {
  return (optionLabels !== null && Object.hasOwn(optionLabels, option) ? optionLabels[option] : undefined) ?? option;
}
