import { exampleRequest, exampleUrl, type Send } from "../../build/openapi/recording.ts";
import type { Endpoint } from "../../lib/index.ts";
import type { Result, Sent } from "../support/harness.ts";

/** Sends a request to an endpoint that causes an error. */
export type Provoke = (send: Send, endpoint: Endpoint) => Promise<Result>;

/** Sends the example request of an endpoint with changes. */
export async function sendExample(
  send: Send,
  endpoint: Endpoint,
  sent: Sent,
  url = exampleUrl(endpoint),
  userId?: string,
) {
  const example = await exampleRequest(endpoint, userId);
  return send(endpoint.method, url, { ...example, ...sent, headers: { ...example.headers, ...sent.headers } });
}

/** Sends the example body with changed members. */
export const withBody =
  (members: Readonly<Record<string, unknown>>): Provoke =>
  (send, endpoint) =>
    sendExample(send, endpoint, { body: { ...endpoint.example?.body, ...members } });

const otherAdminId = "01943ab3-bbbe-7b17-89cf-5f943db2857e";
const adminId = "01943aa2-bd4a-7513-bffe-033db0871959";

/** Sends an admin's request to a path of the set-up API. */
async function sendSetUp(send: Send, endpoint: Endpoint, method: string, path: string, body?: unknown) {
  const example = await exampleRequest(endpoint);
  const url = `http://crm.example/integrations/admin/${path}`;
  return send(method, url, body === undefined ? { ...example, body: undefined } : { ...example, body });
}

/** Demotes the other admin, then removes the last one. */
const removeAdmins: Provoke = async (send, endpoint) => {
  await sendSetUp(send, endpoint, "PATCH", `users/${otherAdminId}`, { role: "member" });
  const path = endpoint.path.replace("/admin/", "").replace(":id", adminId);
  return sendSetUp(
    send,
    endpoint,
    endpoint.method,
    path,
    endpoint.method === "DELETE" ? undefined : { role: "member" },
  );
};

const email = "tomasz.wisniewski@fjordlys.example";

/** Restores a record of the set-up after another one has taken its unique value. */
const restoreSetUpDuplicate =
  (path: string, id: string, body: Readonly<Record<string, unknown>>): Provoke =>
  async (send, endpoint) => {
    await sendSetUp(send, endpoint, "DELETE", `${path}/${id}`);
    await sendSetUp(send, endpoint, "POST", path, body);
    return sendSetUp(send, endpoint, "POST", `${path}/${id}/restore`);
  };

export const setUpNames = ["User", "Pipeline", "Stage", "CustomField", "Rule", "Integration", "Grant"];
const sites = { entity: "account", key: "sites", label: "Sites", type: "number" };

/** Requests that cause the errors of the set-up API. */
export const setUpProvocations: Readonly<Record<string, Provoke>> = {
  ...Object.fromEntries(
    ["Update", "Restore"].flatMap((operation) =>
      setUpNames.map((name) => [
        `admin${operation}${name} conflict`,
        withBody({ updatedAt: "2026-01-01T00:00:00.000Z" }),
      ]),
    ),
  ),
  "adminCreateUser duplicate": withBody({ email }),
  "adminUpdateUser duplicate": withBody({ email }),
  "adminRestoreUser duplicate": restoreSetUpDuplicate("users", otherAdminId, { name: "Tomasz", email }),
  "adminUpdateUser tenant_without_admin": removeAdmins,
  "adminArchiveUser tenant_without_admin": removeAdmins,
  "adminRestoreUser tenant_without_admin": removeAdmins,
  "adminCreatePipeline validation_error": withBody({ stages: [{ name: "Offer" }, { name: "OFFER" }] }),
  "adminArchivePipeline conflict": (send, endpoint) => sendExample(send, endpoint, {}),
  "adminArchiveStage conflict": (send, endpoint) =>
    sendSetUp(send, endpoint, "DELETE", "stages/01943ad8-d5ab-782b-adc8-79cbb0fff8e6"),
  "adminCreateIntegration duplicate": withBody({ name: "WEBSITE  form" }),
  "adminUpdateIntegration duplicate": withBody({ name: "WEBSITE  form" }),
  "adminRestoreIntegration duplicate": withBody({ name: "WEBSITE  form" }),
  "adminCreateStage duplicate": withBody({ name: "lead" }),
  "adminUpdateStage duplicate": withBody({ name: "offer" }),
  "adminRestoreStage duplicate": withBody({ name: "offer" }),
  "adminReorderStages validation_error": withBody({ stageIds: [] }),
  "adminCreateCustomField duplicate": (send, endpoint) => sendSetUp(send, endpoint, "POST", "custom-fields", sites),
  "adminArchiveCustomField conflict": async (send, endpoint) => {
    await sendSetUp(send, endpoint, "POST", "rules", { entity: "account", field: "customFields.sites" });
    return sendExample(send, endpoint, {});
  },
  "adminCreateCustomField validation_error": withBody({ type: "text" }),
  "adminUpdateCustomField validation_error": withBody({ options: ["a"] }),
  "adminRestoreCustomField validation_error": withBody({ options: ["a"] }),
  "adminRestoreCustomField duplicate": restoreSetUpDuplicate(
    "custom-fields",
    "01943ae0-bce0-7f7e-9d5d-f7a2101f8f70",
    sites,
  ),
  "adminCreateRule validation_error": withBody({ field: "nonsense" }),
  "adminUpdateRule validation_error": withBody({ field: "nonsense" }),
  "adminRestoreRule validation_error": withBody({ field: "nonsense" }),
  "adminGetImpact validation_error": (send, endpoint) =>
    sendSetUp(send, endpoint, "GET", "impact?entity=account&field=nonsense"),
};
