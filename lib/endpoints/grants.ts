import * as v from "valibot";
import { endpoint } from "../api/endpoint.ts";
import { ApiError } from "../model/errors.ts";
import { describe, isUuid, jsonSchema, nonEmptyText, unboundedText, uuid } from "../model/scalars.ts";
import { visibleFieldSchemas } from "../model/schemas.ts";
import { user } from "../model/user.ts";

const tag = { name: "Grants", description: "Permissions of outside systems to act for a user." };
const grantId = describe(unboundedText, "The id of the grant. One that is no uuid is not found.");
const data = v.pipe(
  v.strictObject({
    grantId: describe(uuid, "The grant that was asked for."),
    tenantId: describe(uuid, "The tenant of the grant: that of the key."),
    userId: describe(uuid, "The user for whom the grant lets act."),
    tenant: describe(
      v.strictObject({
        id: describe(uuid, "The same as tenantId."),
        name: describe(nonEmptyText(255), "What the tenant is called."),
      }),
      "The tenant.",
    ),
    user: describe(
      v.strictObject(visibleFieldSchemas(user, "id", "name", "email", "active")),
      "The user, who may be inactive.",
    ),
  }),
  jsonSchema({ title: "Grant", description: "A grant, and the tenant and the user that it stands for." }),
);

/** Which tenant and user a grant stands for. */
export const grants = [
  endpoint({
    name: "resolveGrant",
    method: "GET",
    path: "/grants/resolve",
    summary: "The tenant and user of a grant",
    description: "A grant of another tenant is not found, as one that does not exist.",
    tag,
    query: { grantId },
    success: { status: 200, data },
    errors: ["not_found"],
    example: { query: { grantId: "0196c4bd-e28c-78d7-979f-5594323a965c" } },
    async handle({ caller: { tenantId }, query }, { storage }) {
      const asked = query.grantId;
      const grant = isUuid(asked) ? await storage.get(tenantId, "grant", asked.toLowerCase()) : undefined;
      const user = grant && (await storage.get(tenantId, "user", grant.userId));
      const tenant = await storage.get(tenantId, "tenant", tenantId);
      // One who is archived is found nowhere else either, and would look active here.
      if (grant?.archivedAt !== null || user?.archivedAt !== null || tenant === undefined) {
        throw new ApiError("not_found", "There is no grant with this id.");
      }
      const { id, name, email, active } = user;
      const data = { grantId: grant.id, tenantId, userId: id, tenant: { id: tenantId, name: tenant.name } };
      return { status: 200, body: { data: { ...data, user: { id, name, email, active } } } };
    },
  }),
];
