import type { Api } from "../../../lib/index.ts";
import { one } from "../../support/crm.ts";

const ids: Readonly<Record<string, string>> = {
  accounts: one.account,
  contacts: one.contact,
  opportunities: one.opportunity,
  tasks: one.task,
};

/** Every operation of the integrations that takes a body, and some that take none; all of them must have the same words. */
export function operationsOf(api: Pick<Api, "endpoints">) {
  return api.endpoints
    .filter(({ access }) => access !== "admin")
    .filter(({ method }) => method !== "GET")
    .map(({ name, method, path, body }) => {
      const id = ids[path.split("/")[1] ?? ""] ?? "";
      return { name, method, path: path.replace(":id", id), asks: body !== undefined && body.type !== "optional" };
    });
}
