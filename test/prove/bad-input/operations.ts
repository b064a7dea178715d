import type { Api } from "../../../lib/index.ts";
import { one, type Shown } from "../../support/crm.ts";

const ids: Readonly<Record<string, string>> = {
  accounts: one.account,
  contacts: one.contact,
  opportunities: one.opportunity,
  tasks: one.task,
};

/** An API, and its webhook of tenant one. */
type Crm = { readonly api: Pick<Api, "endpoints">; readonly webhook: Shown };

/** Every operation of the integrations that takes a body, and some that take none; all of them must have the same words. */
export function operationsOf({ api, webhook }: Crm) {
  const idOf = (path: string): string | undefined => (path === "webhooks" ? webhook.id : ids[path]);
  return (
    api.endpoints
      .filter(({ access }) => access !== "admin")
      .filter(({ method }) => method !== "GET")
      // Integrations can't restore a webhook, so it is archived last.
      .toSorted((a, b) => Number(a.name === "archiveWebhook") - Number(b.name === "archiveWebhook"))
      .map(({ name, method, path, body }) => {
        const id = idOf(path.split("/")[1] ?? "") ?? "";
        return { name, method, path: path.replace(":id", id), asks: body !== undefined && body.type !== "optional" };
      })
  );
}
