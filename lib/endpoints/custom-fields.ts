import * as v from "valibot";
import { endpoint } from "../api/endpoint.ts";
import { type CustomField, customEntities, customField, defaultMaxLength } from "../model/custom-field.ts";
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
  description: "The fields that the tenant has added to accounts, contacts and opportunities.",
};
const entity = describe(v.picklist(customEntities), "The kind of record whose fields are asked for.");
const where = (name: "description" | "maxLength" | "options" | "optionLabels") => {
  const { schema } = customField.fields[name];
  return v.optional(describe(v.unwrap(schema), customField.descriptions?.fields[name] ?? ""));
};
const data = v.pipe(
  v.strictObject({
    ...visibleFieldSchemas(customField, "key", "label", "type", "required"),
    description: where("description"),
    maxLength: where("maxLength"),
    options: where("options"),
    optionLabels: where("optionLabels"),
  }),
  jsonSchema({
    title: "CustomField",
    description: "What does not apply to a field's type is left out; nothing is null.",
  }),
);

/** The catalogue of one entity's custom fields, in the tenant's order. */
export const customFields = [
  endpoint({
    name: "listCustomFields",
    method: "GET",
    path: "/custom-fields",
    summary: "List the custom fields of an entity",
    description: "The catalogue of one kind of record, in the tenant's order, without pages.",
    tag,
    scope: (query) => (Object.hasOwn(scopeOf, query.entity ?? "") ? scopeOf[query.entity ?? ""] : undefined),
    query: { entity },
    success: { status: 200, data, collection: "list" },
    example: { query: { entity: "account" } },
    async handle({ caller, query }, { storage }) {
      const found = await storage.list(caller.tenantId, "customField", { where: { entity: query.entity } });
      const ordered = found.toSorted((a, b) => a.position - b.position || (a.key < b.key ? -1 : 1));
      return { status: 200, body: { data: ordered.map(definition) } };
    },
  }),
];

/** Members that do not apply are left out; none is null. */
function definition(field: CustomField): Record<string, unknown> {
  const { key, label, type, required, description, maxLength, options } = field;
  const labels = (options ?? []).map((option) => [option, labelOf(field, option)]);
  return {
    key,
    label,
    type,
    required,
    ...(description === null ? {} : { description }),
    ...(type === "text" ? { maxLength: maxLength ?? defaultMaxLength } : {}),
    ...(options === null ? {} : { options, optionLabels: Object.fromEntries(labels) }),
  };
}

function labelOf({ optionLabels }: CustomField, option: string): string {
  return (optionLabels !== null && Object.hasOwn(optionLabels, option) ? optionLabels[option] : undefined) ?? option;
}
