import type { Api } from "../../../lib/index.ts";
import { one, type Shown } from "../../support/crm.ts";
import { entityOfPath } from "../../support/entity-fields.ts";

/** An API, and its webhook of tenant one. */
type Crm = { readonly api: Pick<Api, "endpoints">; readonly webhook: Shown };

/** Every operation of integrations that isn't a GET, with its path. */
export function operationsOf({ api, webhook }: Crm) {
  const idOf = (path: string): string | undefined => {
    const kind = entityOfPath(path);
    return kind === undefined ? (path.startsWith("/webhooks") ? webhook.id : undefined) : one[kind];
  };
  return (
    api.endpoints
      .filter(({ access }) => access !== "admin")
      .filter(({ method }) => method !== "GET")
      // Integrations can't restore a webhook, so it is archived last.
      .toSorted((a, b) => Number(a.name === "archiveWebhook") - Number(b.name === "archiveWebhook"))
      .map(({ name, method, path, body }) => {
        const id = idOf(path) ?? "";
        return {
          name,
          method,
          path: path.replace(":id", id),
          requiresBody: body !== undefined && body.type !== "optional",
        };
      })
  );
}
