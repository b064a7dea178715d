import * as v from "valibot";
import { endpoint } from "../endpoint.js";
import { booleanText, email, said } from "../input/scalars.js";
import { present } from "../records/model.js";
import { recordSchema } from "../records/schemas.js";
import { user } from "../records/user.js";
import { findRecord } from "../resource.js";
const tag = { name: "Users", description: "The people who work in the tenant's CRM. They are read only here." };
const data = recordSchema(user);
const query = {
    email: v.optional(said(email, "Only the user with this e-mail address; case does not count.")),
    active: v.optional(said(booleanText, "Only users who are active, or only those who are not.")),
};
/** Users: a plain list, all of them in one answer, and single records. They are read only here. */
export const users = [
    endpoint({
        name: "listUsers",
        method: "GET",
        path: "/users",
        summary: "List users",
        description: "All of them in one answer, without pages, in the order in which they were last changed.",
        tag,
        scope: "users:read",
        query,
        success: { status: 200, data, many: "list" },
        example: { query: { active: "true" } },
        async handle({ caller, query }, { storage }) {
            const found = await storage.list(caller.tenantId, "user", { where: query });
            return { status: 200, body: { data: found.map((record) => present(user, record)) } };
        },
    }),
    endpoint({
        name: "getUser",
        method: "GET",
        path: "/users/:id",
        summary: "Read a user",
        description: "Users who are not active are found too.",
        tag,
        scope: "users:read",
        success: { status: 200, data },
        example: { params: { id: "01944578-1fbe-7cf2-96f4-3e04f83beb19" } },
        async handle(call, context) {
            return { status: 200, body: { data: present(user, await findRecord(user, call, context)) } };
        },
    }),
];
