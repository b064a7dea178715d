import { capitalize } from "../../lib/model/names.ts";
import { type Provoke, sendExample, withBody } from "./set-up-provocations.ts";

/** Creates webhooks up to the limit, then sends the example. */
const reachLimit =
  (isArchived: boolean): Provoke =>
  async (send, endpoint) => {
    const path = endpoint.path.replace(/\/:id.*/, "");
    const url = `http://crm.example/integrations${endpoint.access === "admin" ? "" : "/v1"}${path}`;
    const example = {
      ...endpoint,
      method: "POST" as const,
      example: { body: { url: "https://hooks.fjordlys.example/" } },
    };
    if (isArchived)
      await sendExample(send, { ...endpoint, method: "DELETE" }, {}, `${url}/${endpoint.example?.params?.id}`);
    for (let count = 0; count < 20; count++) await sendExample(send, example, {}, url);
    return sendExample(send, endpoint, {});
  };

/** Requests that cause the errors of webhooks. */
export const webhookProvocations: Readonly<Record<string, Provoke>> = Object.fromEntries(
  ["", "admin"].flatMap((prefix) => {
    const name = (operation: string) => (prefix === "" ? operation : `admin${capitalize(operation)}`);
    return [
      [`${name("createWebhook")} conflict`, reachLimit(false)],
      [`${name("createWebhook")} validation_error`, withBody({ url: "http://127.0.0.1/" })],
      [`${name("updateWebhook")} conflict`, withBody({ updatedAt: "2026-01-01T00:00:00.000Z" })],
      [`${name("updateWebhook")} validation_error`, withBody({ url: "http://127.0.0.1/" })],
      [`${name("restoreWebhook")} conflict`, reachLimit(true)],
    ] as const;
  }),
);
