import * as v from "valibot";
import { assertIfMatch } from "../api/conditional-requests.ts";
import { type Endpoint, endpoint, type HandlerContext } from "../api/endpoint.ts";
import { eventSchema } from "../api/event-feed.ts";
import { historyQuery, listHistory } from "../api/event-history.ts";
import { updateWrite } from "../api/update-write.ts";
import { dateTime, formatDateTime } from "../model/date-time.ts";
import { ApiError } from "../model/errors.ts";
import type { Records } from "../model/kinds.ts";
import { describe, jsonSchema, nonEmptyText, uuid } from "../model/scalars.ts";
import { setUpTag } from "./set-up-pipelines.ts";

const name = describe(nonEmptyText(255), "Name of the company.");
const tenantSchema = v.pipe(
  v.strictObject({
    id: describe(uuid, "ID of the tenant."),
    name,
    createdAt: describe(dateTime, "Time of creation."),
    updatedAt: describe(dateTime, "Time of the last change."),
  }),
  jsonSchema({ title: "Tenant", description: "The company that uses the CRM." }),
);
const update = v.pipe(v.strictObject({ name }), jsonSchema({ title: "TenantUpdate", description: "The new name." }));

/** The endpoints of the tenant itself. */
export const tenantEndpoints: readonly Endpoint[] = [
  endpoint({
    name: "adminGetTenant",
    method: "GET",
    path: "/admin/tenant",
    summary: "Retrieve the tenant",
    description: "Returns the tenant of the admin.",
    tag: setUpTag,
    access: "admin",
    success: { status: 200, data: tenantSchema },
    hasETag: true,
    example: {},
    async handle({ caller: { tenantId } }, context) {
      return { status: 200, body: { data: toJson(await requireTenant(context, tenantId)) } };
    },
  }),
  endpoint({
    name: "adminUpdateTenant",
    method: "PATCH",
    path: "/admin/tenant",
    summary: "Rename the tenant",
    description: "Changes the name. Names of tenants don't have to be unique.",
    tag: setUpTag,
    access: "admin",
    body: update,
    success: { status: 200, data: tenantSchema },
    hasETag: true,
    example: { body: { name: "Fjordlys Coffee" } },
    async handle({ caller: { tenantId }, body, ifMatch }, context) {
      const before = await requireTenant(context, tenantId);
      assertIfMatch(ifMatch, "tenant", before.updatedAt);
      return (at) => {
        const after = { ...before, name: body.name, updatedAt: at };
        return { status: 200, body: { data: toJson(after) }, writes: [updateWrite("tenant", before, after, at)] };
      };
    },
  }),
  endpoint({
    name: "adminListTenantHistory",
    method: "GET",
    path: "/admin/tenant/history",
    summary: "List what happened to the tenant",
    description: "Returns the events of the tenant, newest first. Old events are deleted.",
    tag: setUpTag,
    access: "admin",
    query: historyQuery,
    success: { status: 200, data: eventSchema, collection: "history" },
    example: {},
    handle: async (call, context) =>
      listHistory("tenant", await requireTenant(context, call.caller.tenantId), call, context),
  }),
];

/** @throws ApiError `404 not_found` if the tenant was removed during the request */
async function requireTenant({ storage }: HandlerContext, tenantId: string): Promise<Records["tenant"]> {
  const found = await storage.get(tenantId, "tenant", tenantId);
  if (found === undefined) throw new ApiError("not_found", "The tenant doesn't exist.");
  return found;
}

function toJson({ id, name, createdAt, updatedAt }: Records["tenant"]) {
  return { id, name, createdAt: formatDateTime(createdAt), updatedAt: formatDateTime(updatedAt) };
}
