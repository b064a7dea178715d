import * as v from "valibot";
import { endpoint } from "../api/endpoint.ts";
import { requireRecord } from "../api/require-record.ts";
import { toJsonObject } from "../model/model.ts";
import { describe, jsonSchema, nonEmptyText, queryBoolean, queryEmail } from "../model/scalars.ts";
import { recordSchema } from "../model/schemas.ts";
import { user } from "../model/user.ts";
import type { Query } from "../storage/storage.ts";

const tag = { name: "Users", description: "The users of the tenant. The API can read them, but not change them." };
const data = recordSchema(user);
const externalId = v.pipe(
  nonEmptyText(255),
  jsonSchema({ description: "Only the users with this externalId.", examples: ["HR-1042"] }),
);
const query = {
  email: v.optional(
    describe(queryEmail, "Only the user with this email address. Case and zero-width characters are ignored."),
  ),
  active: v.optional(describe(queryBoolean, "Only active users, or only inactive ones.")),
  externalId: v.optional(externalId),
};

/** The endpoints of users. */
export const users = [
  endpoint({
    name: "listUsers",
    method: "GET",
    path: "/users",
    summary: "List users",
    description: "Returns all users, sorted by `updatedAt`.",
    tag,
    scope: "users:read",
    query,
    success: { status: 200, data, collection: "list" },
    example: { query: { active: "true" } },
    async handle({ caller, query }, { storage }) {
      const found = await storage.list(caller.tenantId, "user", { where: query as NonNullable<Query["where"]> });
      return { status: 200, body: { data: found.map((record) => toJsonObject(user, record)) } };
    },
  }),
  endpoint({
    name: "getUser",
    method: "GET",
    path: "/users/:id",
    summary: "Retrieve a user",
    description: "Returns active and inactive users.",
    tag,
    scope: "users:read",
    success: { status: 200, data },
    example: { params: { id: "01944578-1fbe-7cf2-96f4-3e04f83beb19" } },
    async handle(call, context) {
      return { status: 200, body: { data: toJsonObject(user, await requireRecord(user, call, context)) } };
    },
  }),
];
