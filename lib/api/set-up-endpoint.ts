import type { Kind } from "../model/kinds.ts";
import type { BaseRecord } from "../model/model.ts";
import type { Write } from "../storage/storage.ts";
import type { Endpoint, EndpointCall } from "./endpoint.ts";
import type { ResourceDefinition } from "./prepare-record.ts";

/** Returns the endpoint for admins. It takes an admin token, and the set-up changes of a tenant run one after another. */
export function toSetUpEndpoint<Related>(definition: ResourceDefinition<Related>, single: Endpoint): Endpoint {
  const { scope: _, ...rest } = single;
  const name = operationName(definition, single.name);
  const handle = single.method === "GET" ? single.handle : serialized(single.handle);
  return { ...rest, name, access: "admin", handle };
}

/**
 * Puts an update of the tenant before the writes, so that of two concurrent changes the second is handled again. Checks that
 * read other records, such as the one for the last admin, then hold when the change commits.
 */
function serialized(handle: Endpoint["handle"]): Endpoint["handle"] {
  return async (call, context) => {
    const { tenantId } = (call as EndpointCall).caller;
    const tenant = await context.storage.get(tenantId, "tenant", tenantId);
    const result = await handle(call, context);
    if (typeof result !== "function" || tenant === undefined) return result;
    return (at, now) => {
      const { writes, ...response } = result(at, now);
      return { ...response, writes: [updateWrite("tenant", tenant, tenant, at), ...writes] };
    };
  };
}

/** Returns the name of an operation, which in the set-up API starts with `admin`. */
export function operationName<Related>({ setUpTag }: ResourceDefinition<Related>, name: string): string {
  return setUpTag === undefined ? name : `admin${capitalize(name)}`;
}

/** Returns the path of a collection. */
export function pathOf<Related>({ model: { plural }, setUpTag }: ResourceDefinition<Related>): string {
  return setUpTag === undefined ? `/${plural}` : `/admin/${plural.replaceAll("_", "-")}`;
}

/** Returns the write of a new version of a record. */
export function updateWrite(kind: Kind, before: BaseRecord, after: BaseRecord, at: number): Write {
  return {
    op: "update",
    kind,
    record: { ...after, updatedAt: at },
    expectedUpdatedAt: before.updatedAt,
  } as unknown as Write;
}

export function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
