import * as v from "valibot";
import { anyText, filledText, instant, oneOf, uuid } from "../input/scalars.js";
import { model } from "./model.js";
/** Everything an integration can be allowed. */
export const scopes = [
    "accounts:read",
    "accounts:write",
    "contacts:read",
    "contacts:write",
    "opportunities:read",
    "opportunities:write",
    "tasks:read",
    "tasks:write",
    "pipelines:read",
    "users:read",
];
/** A customer's system that calls the API: its scopes, and at most two active keys. */
export const integration = model("integration", "integrations", {
    name: { schema: filledText(255), required: true },
    scopes: { schema: v.array(oneOf(scopes)), column: "json", default: [] },
});
/** A credential of an integration. The value itself is kept nowhere: `hash` is its SHA-256 in hex. */
export const apiKey = model("apiKey", "api_keys", {
    integrationId: { schema: uuid, required: true, reference: "integration" },
    hash: { schema: anyText, required: true, hidden: true },
    maskedKey: { schema: filledText(100), required: true },
    createdBy: { schema: v.nullable(uuid), reference: "user" },
    lastUsedAt: { schema: v.nullable(instant), column: "instant", readOnly: true },
    expiresAt: { schema: v.nullable(instant), column: "instant" },
    revokedAt: { schema: v.nullable(instant), column: "instant" },
});
/** The answer that one POST got, kept in the transaction of its effect. Its id is the caller's and the key. */
export const idempotencyRecord = model("idempotencyRecord", "idempotency_records", {
    integrationId: { schema: v.nullable(uuid), reference: "integration" },
    fingerprint: { schema: anyText, required: true },
    status: { schema: v.number(), column: "integer", required: true },
    body: { schema: v.nullable(anyText) },
    location: { schema: v.nullable(anyText) },
});
