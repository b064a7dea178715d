import { describe } from "node:test";
import { fixture, type RejectedFile, rejectionTests, valueAt } from "../support/tenant-file-edit.ts";

const demo = fixture("demo");
const key = valueAt(demo, "/integrations/0/keys/0/key");
const unknown = "01950000-0000-7000-8000-00000000dead";
const again = { entity: "contact", key: "language", label: "Again", type: "text" };
const missing = (kind: string) => `not_found: The file contains no ${kind} ${unknown}.`;
const hashed = (digit: string) => ({ hash: digit.repeat(64), maskedKey: `crm_test_${digit}****` });

/** Contradictions between the records of a file. */
const rejected: readonly RejectedFile[] = [
  [
    "users, accounts, contacts, stages and grants that point nowhere",
    {
      "/integrations/0/keys/0/createdBy": unknown,
      "/grants/0/userId": unknown,
      "/accounts/0/ownerId": unknown,
      "/contacts/0/accountId": unknown,
      "/contacts/1/ownerId": unknown,
      "/opportunities/0/accountId": unknown,
      "/opportunities/1/contactIds/1": unknown,
      "/opportunities/2/ownerId": unknown,
      "/opportunities/3/pipelineId": unknown,
      "/opportunities/4/stageId": unknown,
      "/tasks/0/relatedTo/id": unknown,
      "/tasks/1/relatedTo/id": unknown,
      "/tasks/2/relatedTo/id": unknown,
      "/tasks/3/assignedTo": unknown,
      "/rules/0/when/stageIds/1": unknown,
    },
    `/rules/0/when/stageIds/1 ${missing("stage")}`,
    `/integrations/0/keys/0/createdBy ${missing("user")}`,
    `/grants/0/userId ${missing("user")}`,
    `/accounts/0/ownerId ${missing("user")}`,
    `/contacts/0/accountId ${missing("account")}`,
    `/contacts/1/ownerId ${missing("user")}`,
    `/opportunities/0/accountId ${missing("account")}`,
    `/opportunities/1/contactIds/1 ${missing("contact")}`,
    `/opportunities/2/ownerId ${missing("user")}`,
    `/opportunities/3/pipelineId ${missing("pipeline")}`,
    "/opportunities/3/stageId not_in_pipeline: stageId must be a stage of the pipeline in pipelineId.",
    `/opportunities/4/stageId ${missing("stage")}`,
    `/tasks/0/relatedTo/id ${missing("account")}`,
    `/tasks/1/relatedTo/id ${missing("contact")}`,
    `/tasks/2/relatedTo/id ${missing("opportunity")}`,
    `/tasks/3/assignedTo ${missing("user")}`,
  ],
  [
    "a relation whose type is not that of the id",
    { "/tasks/0/relatedTo": { type: "contact", id: valueAt(demo, "/accounts/0/id") } },
    `/tasks/0/relatedTo/id not_found: The file contains no contact ${valueAt(demo, "/accounts/0/id")}.`,
  ],
  [
    "an id twice",
    { "/tasks/1/id": valueAt(demo, "/tasks/0/id") },
    "/tasks/1/id not_an_option: Duplicate of the id of /tasks/0.",
  ],
  [
    "an account name twice but for case and blanks",
    { "/accounts/1/name": "Äcme GmbH", "/accounts/2/name": "  ÄCME  gmbh" },
    "/accounts/2/name not_an_option: Duplicate of the value in /accounts/1.",
  ],
  [
    "the e-mail address of a contact twice but for case",
    { "/contacts/1/email": "Asa.Lindqvist@LINDQVIST.example" },
    "/contacts/1/email not_an_option: Duplicate of the value in /contacts/0.",
  ],
  [
    "the e-mail address of a user twice",
    { "/users/3/email": valueAt(demo, "/users/0/email") },
    "/users/3/email not_an_option: Duplicate of the value in /users/0.",
  ],
  [
    "a key twice in the catalog of one entity",
    { "/customFields/16": again },
    "/customFields/16/key not_an_option: Duplicate of the value in /customFields/7.",
  ],
  [
    "a key twice in the catalog of one entity but for case",
    { "/customFields/16": { ...again, key: "LANGUAGE" } },
    "/customFields/16/key not_an_option: Duplicate of the value in /customFields/7.",
  ],
  [
    "the key of an archived custom field with another type",
    { "/customFields/16": { ...again, type: "number", archivedAt: "2026-01-05T08:00:00Z" } },
    "/customFields/16/key not_an_option: /customFields/7 has this key and the type text. An archived field keeps its key.",
  ],
  [
    "the name of an integration twice but for case and blanks",
    { "/integrations/1/name": " ERP  SYNC" },
    "/integrations/1/name not_an_option: Duplicate of the value in /integrations/0.",
  ],
  [
    "the name of a stage twice in a pipeline, but not in two pipelines",
    { "/pipelines/0/stages/2/name": "LEAD", "/pipelines/1/stages/0/name": "Lead" },
    "/pipelines/0/stages/2/name not_an_option: Duplicate of the value in /pipelines/0/stages/0.",
  ],
  [
    "two default pipelines",
    { "/pipelines/1/isDefault": true },
    "/pipelines/1/isDefault not_an_option: Duplicate of the value in /pipelines/0.",
  ],
  [
    "a pipeline without stages",
    { "/pipelines/2": { name: "Empty", stages: [] } },
    "/pipelines/2/stages required: A pipeline needs at least one stage that isn't archived.",
  ],
  [
    "a pipeline with archived stages only",
    { "/pipelines/2": { name: "Empty", stages: [{ name: "New", order: 1, archivedAt: "2026-01-05T08:00:00Z" }] } },
    "/pipelines/2/stages required: A pipeline needs at least one stage that isn't archived.",
  ],
  [
    "a list field without options",
    { "/customFields/16": { entity: "contact", key: "size", label: "Size", type: "list", options: [] } },
    "/customFields/16/options required: A field of type list needs options.",
  ],
  [
    "a rule that no opportunity can satisfy",
    { "/rules/2": { entity: "opportunity", field: "lostReason", when: { statuses: ["won", "lost"] } } },
    '/rules/2/when/statuses not_an_option: Only lost opportunities can have a lostReason. Set when to { "statuses": ["lost"] }.',
  ],
  [
    "an API key twice",
    { "/integrations/1/keys/0/key": key },
    "/integrations/1/keys/0/key not_an_option: Duplicate of the value in /integrations/0/keys/0.",
  ],
  [
    "three active keys",
    { "/integrations/1/keys/1": hashed("1"), "/integrations/1/keys/2": hashed("2") },
    "/integrations/1/keys/2 out_of_range: An integration can have at most 2 active API keys.",
  ],
  [
    "the hash of a key and no mask",
    { "/integrations/1/keys/0": { hash: "1".repeat(64) } },
    "/integrations/1/keys/0/key required: An API key needs key, or hash and maskedKey.",
  ],
];

describe("invalid tenant files", rejectionTests(rejected));
