import * as v from "valibot";
import { dateTime } from "./date-time.ts";
import { type Entity, entityModels } from "./entities.ts";
import { model, type RecordOf } from "./model.ts";
import { normalizeName } from "./normalize.ts";
import { nonEmptyText, unboundedText, uuid } from "./scalars.ts";

/** A permission of an integration. */
export type Scope =
  | `${(typeof entityModels)[Entity]["plural"]}:${"read" | "write"}`
  | "pipelines:read"
  | "users:read"
  | "webhooks:read"
  | "webhooks:write";

/** All scopes. */
export const scopes: readonly Scope[] = [
  ...Object.values(entityModels).flatMap(({ plural }) => [`${plural}:read`, `${plural}:write`] as const),
  "pipelines:read",
  "users:read",
  "webhooks:read",
  "webhooks:write",
];

/** A client system, with its scopes and at most two active API keys. */
export const integration = model(
  "integration",
  "integrations",
  {
    name: { schema: nonEmptyText(255), required: true, unique: normalizeName },
    scopes: { schema: v.array(v.picklist(scopes)), column: "json", default: [] },
  },
  "A client system that calls the API.",
  {
    name: "Display name. Unique; case and spaces are compared as in account names.",
    scopes: "Permissions of its API keys. A change applies to the next request.",
  },
);

/** An API key of an integration. Only its SHA-256 in hex is stored, as `hash`. */
export const apiKey = model("apiKey", "api_keys", {
  integrationId: { schema: uuid, required: true, reference: "integration" },
  hash: { schema: unboundedText, required: true, hidden: true },
  maskedKey: { schema: nonEmptyText(100), required: true },
  createdBy: { schema: v.nullable(uuid), reference: "user" },
  lastUsedAt: { schema: v.nullable(dateTime), column: "timestamp", readOnly: true },
  expiresAt: { schema: v.nullable(dateTime), column: "timestamp" },
  revokedAt: { schema: v.nullable(dateTime), column: "timestamp" },
});

/**
 * The stored response to a POST. It commits together with the writes of the request. The ID is the owner and the
 * idempotency key.
 */
export const idempotencyRecord = model("idempotencyRecord", "idempotency_records", {
  integrationId: { schema: v.nullable(uuid), reference: "integration" },
  fingerprint: { schema: unboundedText, required: true },
  path: { schema: unboundedText, required: true },
  status: { schema: v.number(), column: "integer", required: true },
  body: { schema: v.nullable(unboundedText) },
  location: { schema: v.nullable(unboundedText) },
});

export type Integration = RecordOf<typeof integration>;
export type ApiKey = RecordOf<typeof apiKey>;
export type IdempotencyRecord = RecordOf<typeof idempotencyRecord>;
