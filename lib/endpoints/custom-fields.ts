import { endpoint } from "../endpoint.ts";
import { oneOf } from "../input/scalars.ts";
import { type CustomField, customEntities, maxLengthDefault } from "../records/custom-field.ts";
import type { Scope } from "../records/integration.ts";

const scopeOf: Readonly<Record<string, Scope>> = {
  account: "accounts:read",
  contact: "contacts:read",
  opportunity: "opportunities:read",
};

/** The catalogue of one entity's custom fields, in the tenant's order. */
export const customFields = [
  endpoint({
    name: "listCustomFields",
    method: "GET",
    path: "/custom-fields",
    summary: "List the custom fields of an entity",
    scope: (query) => (Object.hasOwn(scopeOf, query.entity ?? "") ? scopeOf[query.entity ?? ""] : undefined),
    query: { entity: oneOf(customEntities) },
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
    ...(type === "text" ? { maxLength: maxLength ?? maxLengthDefault } : {}),
    ...(options === null ? {} : { options, optionLabels: Object.fromEntries(labels) }),
  };
}

function labelOf({ optionLabels }: CustomField, option: string): string {
  return (optionLabels !== null && Object.hasOwn(optionLabels, option) ? optionLabels[option] : undefined) ?? option;
}
