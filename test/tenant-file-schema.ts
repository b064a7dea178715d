import { writeFileSync } from "node:fs";
import { type JsonSchema, jsonSchemaOf } from "../lib/model/json-schema.ts";
import { tenantFileSchema } from "../lib/tenant-file/index.ts";

export const schemaFile = new URL("../fixtures/tenant-file.schema.json", import.meta.url);

/** Descriptions that editors show, by path in the file without list indexes. */
const descriptions: Readonly<Record<string, string>> = {
  exported:
    "Whether the file is an export. Custom field values are then loaded as they were stored, even if their field or " +
    "option no longer exists. Omit it in files that you write.",
  tenant: "The tenant of all records in this file. Its id is their tenantId.",
  users: "Users of the tenant. The oldest active admin is the default owner of new records.",
  "users.active": "Inactive users can't be assigned to records. Existing assignments remain. Defaults to true.",
  pipelines: "Sales pipelines with their stages. At most one is the default.",
  "pipelines.isDefault": "Whether new opportunities use this pipeline by default.",
  "pipelines.lostReasons": "Allowed values of lostReason. If empty, any text is allowed.",
  "pipelines.requireLostReason": "Whether a lost opportunity needs a lostReason.",
  "pipelines.stages.order": "Stages are sorted by this number.",
  "pipelines.stages.probability": "Chance to win in this stage, in percent.",
  customFields: "Custom fields of accounts, contacts and opportunities.",
  "customFields.key": "Name of the field in customFields. Unique per entity.",
  "customFields.required": "Whether a value is required.",
  "customFields.maxLength": "Maximum number of characters, only for type text. Defaults to 255.",
  "customFields.options": "Allowed values. Required for types list and multi_list, not allowed for other types.",
  "customFields.optionLabels": "Display names of options, only for types list and multi_list.",
  "customFields.position": "Sort order of the field. Defaults to its index in this file.",
  rules: "Required-field rules: fields that are required always, or at some stages and statuses.",
  "rules.field": "A field of the entity, such as amount, or customFields.<key>.",
  "rules.when":
    "Condition of the rule. With stageIds and statuses, both must match. If null or omitted, the field is always required.",
  "rules.when.stageIds": "Stages at which the field is required.",
  "rules.when.statuses": "Statuses at which the field is required.",
  integrations: "Client systems with their scopes and API keys.",
  "integrations.keys":
    "API keys, at most two of them active. Each has either its plain text (key), or its hash and maskedKey.",
  "integrations.keys.key":
    "The API key in plain text: crm_test_... or crm_live_..., with its checksum. Only its hash is stored.",
  "integrations.keys.hash": "SHA-256 of the API key in hex, instead of key. Requires maskedKey.",
  "integrations.keys.maskedKey": "First characters of the API key. Required with hash, derived from key otherwise.",
  "integrations.keys.createdBy": "ID of the user who created the API key.",
  grants: "Permissions of external systems to act for a user.",
  accounts: "Companies that the tenant does business with. Names are unique; case and repeated whitespace are ignored.",
  "accounts.customFields": "Custom field values by key.",
  contacts:
    "People that the tenant does business with. Email addresses are unique; case and zero-width characters are ignored.",
  "contacts.customFields": "Custom field values by key.",
  opportunities: "Potential deals.",
  "opportunities.contactIds": "IDs of the contacts involved, at most 100.",
  "opportunities.pipelineId": "Required in a tenant file.",
  "opportunities.stageId": "Required in a tenant file. A stage of the pipeline in pipelineId.",
  "opportunities.currency": "ISO 4217 code.",
  "opportunities.lostReason": "Allowed only if status is lost.",
  "opportunities.closedAt": "Time of the last change to won or lost. null while open. Defaults to updatedAt.",
  "opportunities.stageChangedAt": "Time the opportunity entered its stage. Defaults to createdAt.",
  "opportunities.customFields": "Custom field values by key.",
  tasks: "To-do items.",
  "tasks.relatedTo": "The related account, contact or opportunity.",
  "tasks.assignedTo": "ID of the assigned user.",
  "tasks.closedAt": "Time of the last change to completed or canceled. null while pending. Defaults to updatedAt.",
  notes: "Texts about an account, a contact or an opportunity.",
  "notes.relatedTo": "The related account, contact or opportunity.",
  "notes.authorId": "ID of the user who wrote the note.",
  "notes.occurredAt": "Time of what the note is about. Defaults to createdAt.",
};

/** Returns the JSON Schema of tenant files, for editors. Most editors support draft 7 best. */
export function tenantFileJsonSchema(): JsonSchema {
  const schema = jsonSchemaOf(tenantFileSchema, "request", "draft-07");
  for (const [path, description] of Object.entries(descriptions)) {
    let found = schema;
    for (const name of path.split(".")) {
      const inner = [found, found.items, ...(found.anyOf ?? [])];
      const object = inner.find((each): each is JsonSchema => typeof each === "object" && "properties" in each);
      const next = object?.properties?.[name];
      if (typeof next !== "object") throw new TypeError(`The tenant file has no key ${path}.`);
      found = next;
    }
    found.description = description;
  }
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Tenant file",
    description: "A tenant with all its records. Omitted IDs and times are set on load, except the ID of the tenant.",
    ...schema,
  };
}

if (import.meta.main) writeFileSync(schemaFile, `${JSON.stringify(tenantFileJsonSchema(), null, 2)}\n`);
