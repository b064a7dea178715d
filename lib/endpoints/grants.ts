import * as v from "valibot";
import { endpoint } from "../api/endpoint.ts";
import { ApiError } from "../model/errors.ts";
import { describe, isUuid, jsonSchema, nonEmptyText, unboundedText, uuid } from "../model/scalars.ts";
import { visibleFieldSchemas } from "../model/schemas.ts";
import { user } from "../model/user.ts";

const tag = { name: "Grants", description: "Permissions of external systems to act for a user." };
const grantId = describe(unboundedText, "ID of the grant. A value that isn't a UUID returns 404.");
const { name, email } = visibleFieldSchemas(user, "name", "email");
const data = v.pipe(
  v.strictObject({
    grantId: describe(uuid, "ID of the grant."),
    tenantId: describe(uuid, "ID of the tenant."),
    userId: describe(uuid, "ID of the user that the grant acts for."),
    tenant: describe(
      v.strictObject({
        id: describe(uuid, "ID of the tenant, the same as `tenantId`."),
        name: describe(nonEmptyText(255), "Name of the tenant."),
      }),
      "The tenant.",
    ),
    user: describe(
      v.strictObject({
        ...visibleFieldSchemas(user, "id", "active"),
        name: v.optional(name),
        email: v.optional(email),
      }),
      "The user, active or inactive. `name` and `email` are present if the API key has the scope `users:read`.",
    ),
  }),
  jsonSchema({ title: "Grant", description: "A grant with its tenant and user." }),
);

/** The endpoint that resolves a grant. */
export const grants = [
  endpoint({
    name: "resolveGrant",
    method: "GET",
    path: "/grants/resolve",
    summary: "Resolve a grant",
    description: "Returns the tenant and the user of a grant. Returns 404 for grants of other tenants.",
    tag,
    query: { grantId },
    success: { status: 200, data },
    errors: ["not_found"],
    example: { query: { grantId: "0196c4bd-e28c-78d7-979f-5594323a965c" } },
    async handle({ caller: { tenantId, scopes }, query }, { storage }) {
      const { grantId } = query;
      const grant = isUuid(grantId) ? await storage.get(tenantId, "grant", grantId.toLowerCase()) : undefined;
      const user = grant && (await storage.get(tenantId, "user", grant.userId));
      const tenant = await storage.get(tenantId, "tenant", tenantId);
      // Archived users return 404 everywhere. Their `active` could still be true.
      if (grant?.archivedAt !== null || user?.archivedAt !== null || tenant === undefined) {
        throw new ApiError("not_found", "No grant with this ID.");
      }
      const { id, name, email, active } = user;
      const data = { grantId: grant.id, tenantId, userId: id, tenant: { id: tenantId, name: tenant.name } };
      const person = scopes.includes("users:read") ? { name, email } : {};
      return { status: 200, body: { data: { ...data, user: { id, ...person, active } } } };
    },
  }),
];
