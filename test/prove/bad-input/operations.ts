import type { Api } from "../../../lib/index.ts";
import { one } from "../../support/crm.ts";
import { entityOfPath } from "../../support/entity-fields.ts";

/** Every operation of the integrations that takes a body, and some that take none; all of them must have the same words. */
export function operationsOf(api: Pick<Api, "endpoints">) {
  return api.endpoints
    .filter(({ access }) => access !== "admin")
    .filter(({ method }) => method !== "GET")
    .map(({ name, method, path, body }) => {
      const kind = entityOfPath(path);
      const id = kind === undefined ? "" : one[kind];
      return { name, method, path: path.replace(":id", id), asks: body !== undefined && body.type !== "optional" };
    });
}
