import * as v from "valibot";
import { endpoint } from "../endpoint.ts";
import { booleanText, email } from "../input/scalars.ts";
import { present } from "../records/model.ts";
import { user } from "../records/user.ts";
import { findRecord } from "../resource.ts";
import type { Query } from "../storage.ts";

/** Users: a plain list, all of them in one answer, and single records. They are read only here. */
export const users = [
  endpoint({
    name: "listUsers",
    method: "GET",
    path: "/users",
    summary: "List users",
    scope: "users:read",
    query: { email: v.optional(email), active: v.optional(booleanText) },
    async handle({ caller, query }, { storage }) {
      const found = await storage.list(caller.tenantId, "user", { where: query as NonNullable<Query["where"]> });
      return { status: 200, body: { data: found.map((record) => present(user, record)) } };
    },
  }),
  endpoint({
    name: "getUser",
    method: "GET",
    path: "/users/:id",
    summary: "Read a user",
    scope: "users:read",
    async handle(call, context) {
      return { status: 200, body: { data: present(user, await findRecord(user, call, context)) } };
    },
  }),
];
