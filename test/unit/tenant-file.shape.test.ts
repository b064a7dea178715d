import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseTenantFile, TenantFileError } from "../../lib/tenant-file/index.ts";
import { freshStorage } from "../support/storages.ts";
import { edited, fixture, issuesOf, type RejectedFile, rejectionTests } from "../support/tenant-file-edit.ts";

/** Errors that don't depend on the rest of the file. */
const rejections: readonly RejectedFile[] = [
  [
    "an unknown key, with a hint",
    { "/accounts/0/nmae": "Café" },
    '/accounts/0/nmae unknown_key: Unknown field "nmae". Did you mean "name"?',
  ],
  [
    "an unknown list, with a hint",
    { "/oportunities": [] },
    '/oportunities unknown_key: Unknown field "oportunities". Did you mean "opportunities"?',
  ],
  [
    "a key of the API that a file has no use for",
    { "/pipelines/0/stages/0/pipelineId": null },
    '/pipelines/0/stages/0/pipelineId unknown_key: Unknown field "pipelineId".',
  ],
  ["a missing tenant", { "/tenant": undefined }, "/tenant required: tenant is required."],
  ["a missing name", { "/contacts/2/name": undefined }, "/contacts/2/name required: contacts.2.name is required."],
  ["a name of blanks", { "/accounts/1/name": " \t" }, "/accounts/1/name required: accounts.1.name must not be empty."],
  [
    "null for a required field",
    { "/users/1/role": null },
    "/users/1/role invalid_type: users.1.role must be one of: admin, member.",
  ],
  ["an object in place of a list", { "/grants": {} }, "/grants invalid_type: grants must be a list."],
  ["a list in place of an object", { "/tasks/4": [] }, "/tasks/4 invalid_type: tasks.4 must be an object, not a list."],
  [
    "a word that is none of those allowed, with a hint",
    { "/tasks/0/status": "complete" },
    '/tasks/0/status not_an_option: tasks.0.status must be one of: pending, completed, canceled. Did you mean "completed"?',
  ],
  [
    "a relation to what tasks do not relate to",
    { "/tasks/0/relatedTo/type": "user" },
    "/tasks/0/relatedTo/type not_an_option: tasks.0.relatedTo.type must be one of: account, contact, opportunity.",
  ],
  [
    "an id that is no uuid",
    { "/users/0/id": "1" },
    "/users/0/id invalid_format: users.0.id must be a UUID, such as 0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11.",
  ],
  [
    "the 31st of February",
    { "/opportunities/0/expectedCloseDate": "2026-02-31" },
    "/opportunities/0/expectedCloseDate invalid_format: opportunities.0.expectedCloseDate must be a date that exists. There is no 2026-02-31.",
  ],
  [
    "a time on the 31st of February",
    { "/accounts/0/createdAt": "2025-02-31T08:00:00Z" },
    "/accounts/0/createdAt invalid_format: accounts.0.createdAt must be a date that exists. There is no 2025-02-31.",
  ],
  [
    "a currency that does not exist",
    { "/opportunities/0/currency": "EUX" },
    '/opportunities/0/currency invalid_format: opportunities.0.currency must be an ISO 4217 currency code, such as EUR. Did you mean "EUR"?',
  ],
  [
    "a key whose checksum is wrong",
    { "/integrations/0/keys/0/key": `crm_test_Fjordlys_${"x".repeat(49)}` },
    "/integrations/0/keys/0/key invalid_format: integrations.0.keys.0.key must be an API key with a valid checksum.",
  ],
  [
    "custom field values in a list",
    { "/contacts/0/customFields": ["segment"] },
    "/contacts/0/customFields invalid_type: contacts.0.customFields must be an object of custom field values.",
  ],
];

describe("tenant files with an invalid shape", rejectionTests(rejections));

test("all faults of shape are named at once", async () => {
  const storage = await freshStorage();
  const file = edited(fixture("demo"), Object.assign({}, ...rejections.map(([, edits]) => edits)));
  const faults = rejections.flatMap(([, , ...each]) => each);
  assert.deepEqual((await issuesOf(storage, file)).toSorted(), faults.toSorted());
  await storage.close();
});

test("a tenant file that isn't a JSON object is rejected with one message", () => {
  const sentences = {
    "": "The file is empty. Send a JSON object.",
    "{": "The file isn't valid JSON at line 1, column 2. Look for missing quotes, stray commas and unclosed brackets.",
    "[]": "The file must be a JSON object, such as {}.",
    '{"users":[],"users":[]}': 'The file has the key "users" twice in one object.',
  };
  for (const [text, sentence] of Object.entries(sentences)) {
    assert.throws(() => parseTenantFile(Buffer.from(text)), new TenantFileError(sentence));
  }
});
