import { describe } from "node:test";
import { fixture, type RejectedFile, rejectionTests, valueAt } from "../support/tenant-file-edit.ts";

const demo = fixture("demo");
const serviceStage = valueAt(demo, "/pipelines/1/stages/0/id");
const options = (field: string, list: string) => `customFields.${field} must be one of: ${list}.`;

/** Invalid records whose values all have valid shapes. */
const rejected: readonly RejectedFile[] = [
  [
    "a wrong custom value of every type",
    {
      "/accounts/0/customFields/deliveryNotes": "x".repeat(201),
      "/accounts/1/customFields/sites": "six",
      "/accounts/2/customFields/creditLimit": { amount: 100, currency: "EUX" },
      "/accounts/3/customFields/customerSince": "2026-02-31",
      "/accounts/4/customFields/segment": "Mid-Markte",
      "/accounts/5/customFields/productLines": ["beans", "tea"],
    },
    "/accounts/0/customFields/deliveryNotes too_long: customFields.deliveryNotes must be at most 200 characters long; the value has 201.",
    "/accounts/1/customFields/sites invalid_type: customFields.sites must be a number.",
    '/accounts/2/customFields/creditLimit invalid_format: customFields.creditLimit must have an ISO 4217 currency such as EUR, not "EUX". Did you mean "EUR"?',
    "/accounts/3/customFields/customerSince invalid_format: customFields.customerSince must be a date that exists. There is no 2026-02-31.",
    `/accounts/4/customFields/segment not_an_option: ${options("segment", "SMB, Mid-Market, Enterprise")} Did you mean "Mid-Market"?`,
    `/accounts/5/customFields/productLines/1 not_an_option: ${options("productLines.1", "espresso, filter, grinders, beans, water")}`,
  ],
  [
    "custom values of a wrong type",
    {
      "/contacts/0/customFields/decisionRole": 1,
      "/contacts/1/customFields/language": 1,
      "/contacts/2/customFields/topics": "events",
      "/contacts/3/customFields/lastTraining": 20260301,
      "/opportunities/0/customFields/budget": "15600 EUR",
      "/opportunities/1/customFields/budget": { amount: 15600, currency: "EUR", exact: true },
    },
    "/contacts/0/customFields/decisionRole invalid_type: customFields.decisionRole must be one of its options, as a string.",
    "/contacts/1/customFields/language invalid_type: customFields.language must be a string.",
    "/contacts/2/customFields/topics invalid_type: customFields.topics must be a list of its options.",
    "/contacts/3/customFields/lastTraining invalid_type: customFields.lastTraining must be a date as YYYY-MM-DD.",
    '/opportunities/0/customFields/budget invalid_type: customFields.budget must be a number or { "amount": number, "currency": code }.',
    '/opportunities/1/customFields/budget invalid_type: customFields.budget must be a number or { "amount": number, "currency": code }.',
  ],
  [
    "null for a required custom field",
    { "/accounts/0/customFields/segment": null },
    "/accounts/0/customFields/segment required: customFields.segment is required and can't be removed.",
  ],
  [
    "an unknown custom field, and one of another entity",
    { "/accounts/0/customFields/segmnet": "SMB", "/contacts/0/customFields/sites": 3 },
    '/accounts/0/customFields/segmnet unknown_key: Unknown custom field "segmnet". Did you mean "segment"?',
    '/contacts/0/customFields/sites unknown_key: Unknown custom field "sites".',
  ],
  [
    "a custom field named __proto__",
    { "/contacts/0/customFields": JSON.parse('{ "__proto__": { "language": "Swedish" } }') },
    '/contacts/0/customFields/__proto__ unknown_key: Unknown custom field "__proto__".',
  ],
  [
    "a catalog whose entries contradict their types",
    {
      "/customFields/1/options": ["1", "2"],
      "/customFields/3/maxLength": 10,
      "/customFields/4/optionLabels/tea": "Tea",
      "/customFields/16": { entity: "account", key: "colour", label: "Colour", type: "list" },
    },
    "/customFields/1/options unknown_key: A field of type number can't have options.",
    "/customFields/3/maxLength unknown_key: A field of type date can't have maxLength.",
    "/customFields/4/optionLabels/tea not_an_option: Labels are only allowed for options of the field.",
    "/customFields/16/options required: A field of type list needs options.",
  ],
  [
    "rules on fields that do not exist",
    { "/rules/0/field": "amuont", "/rules/1/field": "customFields.sites" },
    "/rules/0/field not_found: opportunity has no field amuont.",
    "/rules/1/field not_found: opportunity has no field customFields.sites.",
  ],
  [
    "rules on fields that only the service sets",
    { "/rules/0/field": "stageChangedAt", "/rules/1": { entity: "task", field: "closedAt" } },
    "/rules/0/field read_only: stageChangedAt is read-only, so it can't be required.",
    "/rules/1/field read_only: closedAt is read-only, so it can't be required.",
  ],
  [
    "options that differ in case or in the form of their letters alone",
    {
      "/customFields/16": {
        entity: "account",
        key: "colour",
        label: "Colour",
        type: "list",
        options: ["Weiß", "Red", "WEISS", " Red", "ＲＥＤ"],
      },
    },
    '/customFields/16/options/2 not_an_option: This option duplicates "Weiß". Case is ignored.',
    '/customFields/16/options/4 not_an_option: This option duplicates "Red". Case is ignored.',
  ],
  [
    "what is open and closed at once",
    { "/tasks/3/closedAt": "2026-10-01T08:00:00Z", "/opportunities/1/closedAt": "2026-10-01T08:00:00Z" },
    "/opportunities/1/closedAt not_an_option: closedAt must be null if the status is open.",
    "/tasks/3/closedAt not_an_option: closedAt must be null if the status is pending.",
  ],
  [
    "a lost reason without the loss",
    { "/opportunities/0/lostReason": "Price", "/opportunities/1/lostReason": "Price" },
    "/opportunities/0/lostReason not_an_option: lostReason must be null unless the status is lost.",
    "/opportunities/1/lostReason not_an_option: lostReason must be null unless the status is lost.",
  ],
  [
    "a stage of another pipeline",
    { "/opportunities/0/stageId": serviceStage },
    "/opportunities/0/stageId not_in_pipeline: stageId must be a stage of the pipeline in pipelineId.",
  ],
  [
    "an opportunity outside all pipelines",
    { "/opportunities/0/pipelineId": undefined, "/opportunities/0/stageId": undefined },
    "/opportunities/0/pipelineId required: pipelineId is required in a tenant file.",
    "/opportunities/0/stageId required: stageId is required in a tenant file.",
  ],
  [
    "times in the wrong order",
    { "/accounts/0/createdAt": "2026-10-23T15:00:00Z", "/accounts/29/archivedAt": "2026-10-23T15:00:00Z" },
    "/accounts/0/createdAt out_of_range: createdAt must not be after updatedAt.",
    "/accounts/29/archivedAt out_of_range: archivedAt must not be after updatedAt.",
  ],
  [
    "a time before 1970",
    { "/tasks/3/createdAt": "1970-01-01T00:59:59+01:00" },
    "/tasks/3/createdAt out_of_range: createdAt must be between 1970 and 9000.",
  ],
];

describe("invalid tenant files", rejectionTests(rejected));
