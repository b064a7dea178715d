import { describe } from "node:test";
import { fixture, listIn, type RejectedFile, rejectionTests, valueAt } from "../support/tenant-file-edit.ts";

const demo = fixture("demo");
const tasks = listIn(demo, "tasks");
const many = Array.from({ length: 1500 }, (_, index) => ({ title: `Task ${index}` }));
const past = "2026-01-05T08:00:00.000Z";
const key = valueAt(demo, "/integrations/0/keys/0/key");
const whole = (min: number, max = 2_147_483_647) => `must be an integer from ${min} to ${max}.`;

/** Errors that are easy to miss: far down a long list, in numbers that don't fit, in archived records. */
const rejected: readonly RejectedFile[] = [
  [
    "an unknown key in the 1,501st record",
    { "/tasks": [...many, { ...tasks[0], titel: "x" }] },
    '/tasks/1500/titel unknown_key: Unknown field "titel". Did you mean "title"?',
  ],
  [
    "numbers that are not whole, too large or out of range",
    {
      "/pipelines/0/stages/0/order": 1.5,
      "/pipelines/0/stages/1/order": 1e300,
      "/pipelines/0/stages/2/probability": 120,
      "/customFields/0/maxLength": 0,
      "/customFields/1/position": -1,
    },
    `/pipelines/0/stages/0/order invalid_type: pipelines.0.stages.0.order ${whole(0)}`,
    `/pipelines/0/stages/1/order out_of_range: pipelines.0.stages.1.order ${whole(0)}`,
    "/pipelines/0/stages/2/probability out_of_range: pipelines.0.stages.2.probability must be a number from 0 to 100.",
    `/customFields/0/maxLength out_of_range: customFields.0.maxLength ${whole(1, 65_536)}`,
    `/customFields/1/position out_of_range: customFields.1.position ${whole(0)}`,
  ],
  [
    "a custom field key and a hash in the wrong format",
    { "/customFields/0/key": "no good", "/integrations/0/keys/0": { hash: "abc", maskedKey: "x" } },
    "/customFields/0/key invalid_format: customFields.0.key must start with a letter and contain only letters, digits and _.",
    "/integrations/0/keys/0/hash invalid_format: integrations.0.keys.0.hash must be a SHA-256 in hex.",
  ],
  [
    "a duplicate of an archived API key",
    { "/integrations/1/keys": [{ key, archivedAt: past, revokedAt: past }] },
    "/integrations/1/keys/0/key not_an_option: Duplicate of the value in /integrations/0/keys/0.",
  ],
  [
    "an API key without key and hash",
    { "/integrations/1/keys": [{}] },
    "/integrations/1/keys/0/key required: An API key needs key, or hash and maskedKey.",
  ],
  [
    "rules on an inherited property, on customFields, and with stages for accounts",
    {
      "/rules/0/entity": "account",
      "/rules/0/field": "toString",
      "/rules/1/field": "customFields",
      "/rules/1/when": null,
    },
    "/rules/0/field not_found: account has no field toString.",
    "/rules/0/when not_an_option: when is only allowed for opportunities.",
    "/rules/1/field not_found: opportunity has no field customFields.",
  ],
  [
    "rules that never apply",
    {
      "/rules/0/when": { stageIds: [], statuses: ["won"] },
      "/rules/1/when": { statuses: [] },
      "/rules/2": { entity: "opportunity", field: "amount", when: {} },
    },
    "/rules/0/when/stageIds required: stageIds is empty, so the rule never applies. Add a value or omit stageIds.",
    "/rules/1/when/statuses required: statuses is empty, so the rule never applies. Add a value or omit statuses.",
    "/rules/2/when required: when needs stageIds or statuses. Omit it if the field is always required.",
  ],
  [
    "a time after the year 9000",
    { "/tasks/0/updatedAt": "9999-12-31T23:59:59.999Z" },
    "/tasks/0/updatedAt out_of_range: updatedAt must be between 1970 and 9000.",
  ],
  ["no tenant ID", { "/tenant/id": undefined }, "/tenant/id required: tenant.id is required."],
];

describe("invalid tenant files", rejectionTests(rejected));
