import { codeOf, type ErrorName } from "../../build/openapi/errors.ts";
import {
  type DemoOptions,
  exampleRequest,
  exampleUrl,
  rejectingRateLimiter,
  type Send,
} from "../../build/openapi/recording.ts";
import { type Endpoint, StorageUnavailable } from "../../lib/index.ts";
import type { Result, Sent } from "../harness.ts";
import type { Edits } from "../tenant-file-edit.ts";

/** Asks what the endpoint is for, with something about it that is to be refused. */
type Provoke = (send: Send, endpoint: Endpoint) => Promise<Result>;

const unknown = "0199c0a1-2b3c-7d4e-8f50-617283940a1b";
const member = "01944578-1fbe-7cf2-96f4-3e04f83beb19";
const json = { "content-type": "application/json" };

/** The example's request with another url and other parts. */
async function changed(send: Send, endpoint: Endpoint, sent: Sent, url = exampleUrl(endpoint), userId?: string) {
  const example = await exampleRequest(endpoint, userId);
  return send(endpoint.method, url, { ...example, ...sent, headers: { ...example.headers, ...sent.headers } });
}

function withParameter(endpoint: Endpoint, parameter: string): string {
  const url = exampleUrl(endpoint);
  return `${url}${url.includes("?") ? "&" : "?"}${parameter}`;
}

/** The example's body with other members. */
const sending =
  (members: Readonly<Record<string, unknown>>): Provoke =>
  (send, endpoint) =>
    changed(send, endpoint, { body: { ...endpoint.example?.body, ...members } });

/** How every endpoint that has it comes to this error. */
const general: Partial<Record<ErrorName, Provoke>> = {
  "400 bad_request": (send, endpoint) => changed(send, endpoint, { raw: "{", headers: json }),
  "400 validation_error": (send, endpoint) => changed(send, endpoint, {}, withParameter(endpoint, "nonsense=1")),
  "400 invalid_cursor": (send, endpoint) => changed(send, endpoint, {}, withParameter(endpoint, "cursor=AbCdEf")),
  "401 unauthorized": (send, endpoint) =>
    changed(send, endpoint, { key: null, headers: { authorization: "Basic YTpi" } }),
  "403 insufficient_scope": (send, endpoint) => changed(send, endpoint, {}, exampleUrl(endpoint), member),
  "404 not_found": (send, endpoint) => {
    const { params, query } = endpoint.example ?? {};
    const url = Object.values({ ...params, ...query }).reduce(
      (text, id) => text.replace(id, unknown),
      exampleUrl(endpoint),
    );
    return changed(send, endpoint, {}, url);
  },
  "412 conflict": (send, endpoint) =>
    changed(send, endpoint, { headers: { "if-match": '"2020-01-01T00:00:00.000Z"' } }),
  "413 bad_request": (send, endpoint) => changed(send, endpoint, { raw: " ".repeat(1024 * 1024 + 1), headers: json }),
  "415 bad_request": (send, endpoint) =>
    changed(send, endpoint, { raw: "{}", headers: { "content-type": "text/plain" } }),
  "422 invalid_reference": (send, endpoint) => changed(send, endpoint, { headers: { "x-tenant-id": unknown } }),
  "422 idempotency_key_reused": async (send, endpoint) => {
    const headers = { "idempotency-key": unknown };
    await changed(send, endpoint, { headers });
    return changed(
      send,
      endpoint,
      { headers },
      withParameter(endpoint, "tenantId=01943aa0-bc00-7f06-b989-aece882520fc"),
    );
  },
  "422 unknown_custom_field": sending({ customFields: { segment: "SMB", nonsense: 1 } }),
  "422 invalid_custom_field": (send, endpoint) => {
    const field = { Accounts: "segment", Contacts: "language", Opportunities: "machines" }[endpoint.tag.name] ?? "";
    return sending({ customFields: { [field]: {} } })(send, endpoint);
  },
  "409 tenant_without_admin": (send, endpoint) => changed(send, endpoint, {}),
  "429 rate_limited": (send, endpoint) => changed(send, endpoint, {}),
  "500 internal_error": (send, endpoint) => changed(send, endpoint, {}),
  "503 internal_error": (send, endpoint) => changed(send, endpoint, {}),
};

/** Something in the way of a record that is to come back. */
const takenMeanwhile =
  (path: string, body: unknown): Provoke =>
  async (send, endpoint) => {
    await send("DELETE", exampleUrl(endpoint).replace("/restore", ""));
    await send("POST", path, { body });
    return changed(send, endpoint, {});
  };

/** Where it takes something particular. */
const particular: Readonly<Record<string, Provoke>> = {
  "createAccount duplicate": sending({ name: " café  LINDQVIST ab" }),
  "updateAccount duplicate": sending({ name: "Hôtel Beaurivage" }),
  "restoreAccount duplicate": takenMeanwhile("/accounts", {
    name: "Café Lindqvist AB",
    phone: "1",
    customFields: { segment: "SMB" },
  }),
  "createContact duplicate": sending({ email: "ASA.lindqvist@lindqvist.example" }),
  "updateContact duplicate": sending({ email: "bjorn.akesson@lindqvist.example" }),
  "restoreContact duplicate": takenMeanwhile("/contacts", {
    name: "Å",
    jobTitle: "1",
    email: "asa.lindqvist@lindqvist.example",
  }),
  "createOpportunity conflict": (send, endpoint) => changed(send, endpoint, { body: { name: "Two grinders" } }),
  "updateOpportunity conflict": async (send, endpoint) => {
    await send("PATCH", exampleUrl(endpoint), { body: { status: "lost", lostReason: "Price", amount: 1 } });
    return changed(send, endpoint, {
      body: { status: "won", lostReason: null, customFields: { installDate: "2026-12-01" } },
    });
  },
  "updateTask conflict": async (send, endpoint) => {
    await changed(send, endpoint, {});
    return changed(send, endpoint, { body: { status: "canceled" } });
  },
  "generateApiKey conflict": async (send, endpoint) => {
    await changed(send, endpoint, {});
    return changed(send, endpoint, {});
  },
  "generateApiKey validation_error": sending({ expiresAt: "2026-01-01T00:00:00Z" }),
  "createAccount validation_error": sending({ phone: null }),
  "updateAccount validation_error": sending({ phone: null }),
  "createContact validation_error": sending({ jobTitle: null }),
  "updateContact validation_error": sending({ jobTitle: null }),
  "createOpportunity validation_error": sending({ ownerId: null }),
  "updateOpportunity validation_error": sending({ ownerId: null }),
  "createTask validation_error": sending({ assignedTo: null }),
  "updateTask validation_error": sending({ assignedTo: null }),
};

/** How this endpoint comes to this error. */
export function provocation(name: ErrorName, endpoint: Endpoint): Provoke | undefined {
  const isGeneral = name.startsWith("400") || name === "412 conflict";
  return (isGeneral ? undefined : particular[`${endpoint.name} ${codeOf(name)}`]) ?? general[name];
}

/** Whether that leaves nothing behind, so that a server can be asked the next thing. */
export function isHarmless(name: ErrorName, { name: operation }: Endpoint): boolean {
  return name !== "422 idempotency_key_reused" && !(`${operation} ${codeOf(name)}` in particular);
}

/** A tenant that requires a field of each kind of record. */
const demanding: Edits = {
  "/rules/2": { entity: "account", field: "phone" },
  "/rules/3": { entity: "contact", field: "jobTitle" },
  "/rules/4": { entity: "opportunity", field: "ownerId" },
  "/rules/5": { entity: "task", field: "assignedTo" },
};

/** What must be so with the server or its tenant. */
export function circumstances(name: ErrorName, { name: operation }: Endpoint): DemoOptions {
  if (operation === "createOpportunity" && name === "409 conflict") {
    return { edits: { "/pipelines": [], "/opportunities": [], "/tasks": [], "/rules": [] } };
  }
  return (
    {
      "403 insufficient_scope": { edits: { "/integrations/0/scopes": [] } },
      "409 tenant_without_admin": { edits: { "/users/0/role": "member", "/users/1/role": "member" } },
      "422 validation_error": { edits: demanding },
      "429 rate_limited": { options: { rateLimiter: rejectingRateLimiter } },
      "500 internal_error": { failure: new Error("a fault") },
      "503 internal_error": { failure: new StorageUnavailable("the disk is full") },
    }[name as string] ?? {}
  );
}
