import { writeFileSync } from "node:fs";
import type { JsonSchema } from "@valibot/to-json-schema";
import { jsonSchemaOf } from "../build/openapi/json-schema.ts";
import { tenantFileSchema } from "../lib/tenant-file/index.ts";

export const schemaFile = new URL("../fixtures/tenant-file.schema.json", import.meta.url);

/** What an editor shows, by the path of the key without the places in lists. */
const descriptions: Readonly<Record<string, string>> = {
  exported:
    "Said by an export: custom values stand in it as they were stored, though their field or option has gone since, and " +
    "only their shape is checked. Leave it out of what is written by hand.",
  tenant: "The customer whose CRM this file is. Its id is the tenantId of everything below.",
  users: "The people of the tenant. New records go to the oldest active admin where nobody is named.",
  "users.active":
    "Inactive users stay named in old records and cannot be chosen for new ones. True where it is left out.",
  pipelines: "The ways a sale can go, each with its stages. At most one is the default.",
  "pipelines.isDefault": "Where an opportunity starts that names neither a pipeline nor a stage.",
  "pipelines.lostReasons": "The reasons that may be given for a lost opportunity. Any text where the list is empty.",
  "pipelines.requireLostReason": "Whether an opportunity can only be lost with a reason.",
  "pipelines.stages.order": "Stages stand in this order, the smallest number first.",
  "pipelines.stages.probability": "The chance of winning in this stage, in percent.",
  customFields: "The tenant's own fields for accounts, contacts and opportunities.",
  "customFields.key": "The name of the field inside customFields. Taken once per entity.",
  "customFields.required": "Whether a new record must have it.",
  "customFields.maxLength": "For type text only: the most characters. 255 where it is left out.",
  "customFields.options": "For types list and multi_list only, and needed there: the allowed values.",
  "customFields.optionLabels": "For types list and multi_list only: what people see, by option.",
  "customFields.position": "The place in the catalogue. The place in this file where it is left out.",
  rules: "Fields that this tenant requires beyond the catalogue, always or at certain stages or statuses.",
  "rules.field": "A field of the entity, such as amount, or customFields.<key>.",
  "rules.when": "Always where it is null or left out.",
  "rules.when.stageIds": "Required while the opportunity is in one of these stages.",
  "rules.when.statuses": "Required while the opportunity has one of these statuses.",
  integrations: "The systems that call the API, each with what it may do and its keys.",
  "integrations.keys":
    "At most two that are not revoked. Each is given in clear (key), or as an export gives it (hash and maskedKey).",
  "integrations.keys.key": "The key in clear: crm_test_... or crm_live_..., with its checksum. Only its hash is kept.",
  "integrations.keys.hash": "The SHA-256 of the key in hex, in place of key. Needs maskedKey beside it.",
  "integrations.keys.maskedKey": "What people are shown of the key. Needed with hash; follows from key otherwise.",
  "integrations.keys.createdBy": "The user who made the key.",
  grants: "Permissions of outside systems to act for a user.",
  accounts: "The companies that the tenant sells to. A name is taken once, whatever its case and blanks.",
  "accounts.customFields": "Values by the key of the field in customFields above.",
  contacts: "The people at those companies. An e-mail address is taken once, whatever its case.",
  "contacts.customFields": "Values by the key of the field in customFields above.",
  opportunities: "The sales.",
  "opportunities.contactIds": "The contacts that take part, 100 at most.",
  "opportunities.pipelineId": "Needed, with the stage.",
  "opportunities.stageId": "Needed: a stage of the pipeline that pipelineId names.",
  "opportunities.currency": "An ISO 4217 code.",
  "opportunities.lostReason": "Only where the status is lost.",
  "opportunities.closedAt": "Since when it is won or lost; null while it is open. updatedAt where it is left out.",
  "opportunities.stageChangedAt": "Since when it is in its stage. createdAt where it is left out.",
  "opportunities.customFields": "Values by the key of the field in customFields above.",
  tasks: "What is to be done.",
  "tasks.relatedTo": "The one record that the task is about.",
  "tasks.assignedTo": "The user who is to do it.",
  "tasks.closedAt": "Since when it is completed or canceled; null while it is pending. updatedAt where it is left out.",
};

/** The format of tenant files for editors, made from the schema that loads them. Draft 7 is what they know best. */
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
    description:
      "A tenant whole. Ids and times that are left out are made when the file is loaded, but for the id of the tenant.",
    ...schema,
  };
}

if (import.meta.main) writeFileSync(schemaFile, `${JSON.stringify(tenantFileJsonSchema(), null, 2)}\n`);
