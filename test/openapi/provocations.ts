import { codeOf, type ErrorName } from "../../build/openapi/errors.ts";
import { type DemoOptions, exampleUrl, rejectingRateLimiter } from "../../build/openapi/recording.ts";
import { type Endpoint, StorageUnavailable, TooManyMatches } from "../../lib/index.ts";
import { entityOfPath, textField } from "../support/entity-fields.ts";
import type { Edits } from "../support/tenant-file-edit.ts";
import { type Provoke, sendExample, setUpNames, setUpProvocations, withBody } from "./set-up-provocations.ts";
import { webhookProvocations } from "./webhook-provocations.ts";

const unknownId = "0199c0a1-2b3c-7d4e-8f50-617283940a1b";
const memberId = "01944578-1fbe-7cf2-96f4-3e04f83beb19";
const json = { "content-type": "application/json" };

function withParameter(endpoint: Endpoint, parameter: string): string {
  const url = exampleUrl(endpoint);
  return `${url}${url.includes("?") ? "&" : "?"}${parameter}`;
}

/** The lists that sort more than by `updatedAt`. */
const sortedLists: ReadonlySet<string> = new Set([
  ...["Accounts", "Contacts", "Opportunities", "Tasks", "Notes"].map((names) => `list${names}`),
  ...setUpNames.map((name) => `adminList${name}s`),
]);

/** Requests that cause the error at each endpoint. */
const generalProvocations: Partial<Record<ErrorName, Provoke>> = {
  "400 bad_request": (send, endpoint) => sendExample(send, endpoint, { raw: "{", headers: json }),
  "400 validation_error": (send, endpoint) => sendExample(send, endpoint, {}, withParameter(endpoint, "nonsense=1")),
  "400 invalid_cursor": (send, endpoint) => sendExample(send, endpoint, {}, withParameter(endpoint, "cursor=AbCdEf")),
  "401 unauthorized": (send, endpoint) =>
    sendExample(send, endpoint, { key: null, headers: { authorization: "Basic YTpi" } }),
  "403 insufficient_scope": (send, endpoint) => sendExample(send, endpoint, {}, exampleUrl(endpoint), memberId),
  "404 not_found": (send, endpoint) => {
    const { params, query } = endpoint.example ?? {};
    const url = Object.values({ ...params, ...query }).reduce(
      (text, id) => text.replace(id, unknownId),
      exampleUrl(endpoint),
    );
    return sendExample(send, endpoint, {}, url);
  },
  "412 conflict": (send, endpoint) =>
    sendExample(send, endpoint, { headers: { "if-match": '"2020-01-01T00:00:00.000Z"' } }),
  "413 bad_request": (send, endpoint) =>
    sendExample(send, endpoint, { raw: " ".repeat(1024 * 1024 + 1), headers: json }),
  "415 bad_request": (send, endpoint) =>
    sendExample(send, endpoint, { raw: "{}", headers: { "content-type": "text/plain" } }),
  "422 invalid_reference": (send, endpoint) => sendExample(send, endpoint, { headers: { "x-tenant-id": unknownId } }),
  "422 idempotency_key_reused": async (send, endpoint) => {
    const headers = { "idempotency-key": unknownId };
    await sendExample(send, endpoint, { headers });
    return sendExample(
      send,
      endpoint,
      { headers },
      withParameter(endpoint, "tenantId=01943aa0-bc00-7f06-b989-aece882520fc"),
    );
  },
  "422 unknown_custom_field": withBody({ customFields: { segment: "SMB", nonsense: 1 } }),
  "422 invalid_custom_field": (send, endpoint) => {
    const field = { Accounts: "segment", Contacts: "language", Opportunities: "machines" }[endpoint.tag.name] ?? "";
    return withBody({ customFields: { [field]: {} } })(send, endpoint);
  },
  "409 tenant_without_admin": (send, endpoint) => sendExample(send, endpoint, {}),
  "429 rate_limited": (send, endpoint) => sendExample(send, endpoint, {}),
  "500 internal_error": (send, endpoint) => sendExample(send, endpoint, {}),
  "503 internal_error": (send, endpoint) => sendExample(send, endpoint, {}),
};

/** Restores a record after another record has taken its unique value. */
const restoreDuplicate =
  (path: string, body: unknown): Provoke =>
  async (send, endpoint) => {
    await send("DELETE", exampleUrl(endpoint).replace("/restore", ""));
    await send("POST", path, { body });
    return sendExample(send, endpoint, {});
  };

/** Sends the example of an upsert again, so that it matches a record that it must not match. */
const upsertDuplicate: Provoke = async (send, endpoint) => {
  await sendExample(send, endpoint, {});
  return sendExample(send, endpoint, {}, withParameter(endpoint, "onlyIf=absent"));
};

/** Upserts by an external ID that two records have. */
const upsertAmbiguous: Provoke = async (send, { path, example }) => {
  const externalId = "twice";
  for (const name of ["One", "Two"]) {
    const kind = entityOfPath(path) ?? "account";
    const email = kind === "contact" ? { email: `${name}@example.com` } : {};
    const body = { ...example?.body, ...email, externalId, [textField(kind)]: name };
    await send("POST", path.replace("/upsert", ""), { body });
  }
  return send("POST", `${path}?matchBy=externalId`, { body: { externalId } });
};

const upsertMissing: Provoke = (send, endpoint) =>
  sendExample(send, endpoint, {}, withParameter(endpoint, "onlyIf=exists"));

/** Sends an atomic batch whose operation fails. */
const failingBatch = withBody({ operations: [{ op: "archive", id: unknownId }], atomic: true });

const listByWords: Provoke = (send, endpoint) => sendExample(send, endpoint, {}, withParameter(endpoint, "q=a"));
const listByCreation: Provoke = (send, endpoint) =>
  sendExample(send, endpoint, {}, withParameter(endpoint, "order=createdAt"));

/** Requests that cause the error at one endpoint. */
const specificProvocations: Readonly<Record<string, Provoke>> = {
  ...setUpProvocations,
  ...webhookProvocations,
  "searchRecords not_found": (send, endpoint) => sendExample(send, endpoint, {}),
  ...Object.fromEntries(
    ["Accounts", "Contacts", "Opportunities", "Tasks"].map((names) => [`list${names} not_found`, listByWords]),
  ),
  ...Object.fromEntries([...sortedLists].map((name) => [`${name} validation_error`, listByCreation])),
  "createAccount duplicate": withBody({ name: " café  LINDQVIST ab" }),
  "updateAccount duplicate": withBody({ name: "Hôtel Beaurivage" }),
  "restoreAccount duplicate": restoreDuplicate("/accounts", {
    name: "Café Lindqvist AB",
    phone: "1",
    customFields: { segment: "SMB" },
  }),
  "createContact duplicate": withBody({ email: "ASA.lindqvist@lindqvist.example" }),
  "updateContact duplicate": withBody({ email: "bjorn.akesson@lindqvist.example" }),
  "restoreContact duplicate": restoreDuplicate("/contacts", {
    name: "Å",
    jobTitle: "1",
    email: "asa.lindqvist@lindqvist.example",
  }),
  "createOpportunity conflict": (send, endpoint) => sendExample(send, endpoint, { body: { name: "Two grinders" } }),
  "updateAccount conflict": withBody({ updatedAt: "2026-01-01T00:00:00.000Z" }),
  "updateContact conflict": withBody({ updatedAt: "2026-01-01T00:00:00.000Z" }),
  "updateOpportunity conflict": withBody({ updatedAt: "2026-01-01T00:00:00.000Z" }),
  "updateTask conflict": withBody({ updatedAt: "2026-01-01T00:00:00.000Z" }),
  "updateNote conflict": withBody({ updatedAt: "2026-01-01T00:00:00.000Z" }),
  ...Object.fromEntries(
    ["Account", "Contact", "Opportunity", "Task", "Note"].map((name) => [
      `restore${name} conflict`,
      withBody({ updatedAt: "2026-01-01T00:00:00.000Z" }),
    ]),
  ),
  "generateApiKey conflict": async (send, endpoint) => {
    await sendExample(send, endpoint, {});
    return sendExample(send, endpoint, {});
  },
  "generateApiKey validation_error": withBody({ expiresAt: "2026-01-01T00:00:00Z" }),
  ...Object.fromEntries(
    ["Account", "Contact", "Opportunity", "Note"].flatMap((name) => [
      [`upsert${name} not_found`, upsertMissing],
      [`upsert${name} duplicate`, upsertDuplicate],
      [`upsert${name} conflict`, upsertAmbiguous],
    ]),
  ),
  "upsertAccount validation_error": withBody({ phone: null }),
  "upsertContact validation_error": withBody({ jobTitle: null }),
  "upsertOpportunity validation_error": withBody({ ownerId: null }),
  "batchAccounts validation_error": failingBatch,
  "batchContacts validation_error": failingBatch,
  "batchOpportunities validation_error": failingBatch,
  "batchTasks validation_error": failingBatch,
  "batchNotes validation_error": failingBatch,
  "restoreAccount validation_error": withBody({ phone: null }),
  "restoreContact validation_error": withBody({ jobTitle: null }),
  "restoreOpportunity validation_error": withBody({ ownerId: null }),
  "restoreTask validation_error": withBody({ assignedTo: null }),
  "restoreNote validation_error": withBody({ authorId: null }),
  "createAccount validation_error": withBody({ phone: null }),
  "updateAccount validation_error": withBody({ phone: null }),
  "createContact validation_error": withBody({ jobTitle: null }),
  "updateContact validation_error": withBody({ jobTitle: null }),
  "createOpportunity validation_error": withBody({ ownerId: null }),
  "updateOpportunity validation_error": withBody({ ownerId: null }),
  "createTask validation_error": withBody({ assignedTo: null }),
  "updateTask validation_error": withBody({ assignedTo: null }),
  "createNote validation_error": withBody({ authorId: null }),
  "updateNote validation_error": withBody({ authorId: null }),
  "upsertNote validation_error": withBody({ authorId: null }),
};

/** Returns how to cause an error at an endpoint. */
export function provocation(name: ErrorName, endpoint: Endpoint): Provoke | undefined {
  const isGeneral = name.startsWith("400") || name === "412 conflict";
  return (
    (isGeneral ? undefined : specificProvocations[`${endpoint.name} ${codeOf(name)}`]) ?? generalProvocations[name]
  );
}

/** Reports whether a provocation changes no data, so that the server can be reused. */
export function isReadOnly(name: ErrorName, { name: operation }: Endpoint): boolean {
  return name !== "422 idempotency_key_reused" && !(`${operation} ${codeOf(name)}` in specificProvocations);
}

/** Adds a required-field rule for each kind of record. */
const requiredFieldRules: Edits = {
  "/rules/2": { entity: "account", field: "phone" },
  "/rules/3": { entity: "contact", field: "jobTitle" },
  "/rules/4": { entity: "opportunity", field: "ownerId" },
  "/rules/5": { entity: "task", field: "assignedTo" },
  "/rules/6": { entity: "note", field: "authorId" },
};

/** Returns the setup of the server that an error needs. */
export function setupFor(name: ErrorName, { name: operation }: Endpoint): DemoOptions {
  if (operation === "createOpportunity" && name === "409 conflict") {
    return { edits: { "/pipelines": [], "/opportunities": [], "/tasks": [], "/notes": [], "/rules": [] } };
  }
  if (/^admin(?:GetSystem|CreateBackup)$/.test(operation) && name === "404 not_found")
    return { options: { system: undefined } };
  if (operation.startsWith("admin") && name.startsWith("409")) {
    return operation === "adminRestorePipeline" ? { edits: { "/opportunities": [], "/tasks": [], "/notes": [] } } : {};
  }
  const isList = sortedLists.has(operation);
  if ((operation === "searchRecords" || isList) && name === "404 not_found") return { search: false };
  if (isList && name === "422 validation_error") return { listFailure: new TooManyMatches() };
  return (
    {
      "403 insufficient_scope": { edits: { "/integrations/0/scopes": [] } },
      "409 tenant_without_admin": { edits: { "/users/0/role": "member", "/users/1/role": "member" } },
      "422 validation_error": { edits: requiredFieldRules },
      "429 rate_limited": { options: { rateLimiter: rejectingRateLimiter } },
      "500 internal_error": { failure: new Error("a fault") },
      "503 internal_error": { failure: new StorageUnavailable("the disk is full") },
    }[name as string] ?? {}
  );
}
