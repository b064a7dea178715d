import { endpoint } from "../endpoint.ts";
import { ApiError } from "../errors.ts";
import { anyText, isUuid } from "../input/scalars.ts";

/** Which tenant and user a grant stands for. */
export const grants = [
  endpoint({
    name: "resolveGrant",
    method: "GET",
    path: "/grants/resolve",
    summary: "The tenant and user of a grant",
    query: { grantId: anyText },
    async handle({ caller: { tenantId }, query: { grantId } }, { storage }) {
      const grant = isUuid(grantId) ? await storage.get(tenantId, "grant", grantId.toLowerCase()) : undefined;
      const user = grant && (await storage.get(tenantId, "user", grant.userId));
      const tenant = await storage.get(tenantId, "tenant", tenantId);
      if (grant === undefined || grant.archivedAt !== null || user === undefined || tenant === undefined) {
        throw new ApiError("not_found", "There is no grant with this id.");
      }
      const { id, name, email, active } = user;
      const data = { grantId: grant.id, tenantId, userId: id, tenant: { id: tenantId, name: tenant.name } };
      return { status: 200, body: { data: { ...data, user: { id, name, email, active } } } };
    },
  }),
];
