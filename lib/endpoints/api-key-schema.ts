import * as v from "valibot";
import { scopes } from "../model/integration.ts";
import { dateTime, describe, jsonSchema, nonEmptyText, uuid } from "../model/scalars.ts";

const time = v.nullable(dateTime);

const entries = {
  id: describe(uuid, "What the key is revoked by."),
  integrationId: describe(uuid, "The integration that the key belongs to."),
  integrationName: describe(nonEmptyText(255), "What the integration is called."),
  maskedKey: describe(nonEmptyText(100), "The beginning of the key, to tell it from others."),
  scopes: describe(v.array(v.picklist(scopes)), "What the integration may do, with each of its keys."),
  status: describe(
    v.picklist(["active", "revoked", "expired"]),
    "Only active keys are accepted. A revoked key stays revoked when it would have expired.",
  ),
  createdAt: describe(dateTime, "When it was made."),
  createdBy: describe(v.nullable(uuid), "The user who made it. Null: it came with a tenant file."),
  lastUsedAt: describe(time, "When it was last used, to the minute. Null: never."),
  expiresAt: describe(time, "From when on it is refused. Null: it does not expire."),
  revokedAt: describe(time, "When it was revoked. Null: it was not."),
};

/** A key as `toApiKeyJson` shows it. */
export const apiKeySchema = v.pipe(
  v.strictObject(entries),
  jsonSchema({ title: "ApiKey", description: "An integration's key, masked: its value is kept nowhere." }),
);

/** A key in the answer that made it. */
export const apiKeyWithValueSchema = v.pipe(
  v.strictObject({
    ...entries,
    key: describe(v.nullable(nonEmptyText(100)), "The value, shown this once. Null in a replay."),
  }),
  jsonSchema({ title: "NewApiKey", description: "A key that was just made, with its value." }),
);
