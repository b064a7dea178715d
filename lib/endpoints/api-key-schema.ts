import * as v from "valibot";
import { dateTime } from "../model/date-time.ts";
import { scopes } from "../model/integration.ts";
import { describe, jsonSchema, nonEmptyText, uuid } from "../model/scalars.ts";

const time = v.nullable(dateTime);

const entries = {
  id: describe(uuid, "ID of the API key."),
  integrationId: describe(uuid, "ID of the integration."),
  integrationName: describe(nonEmptyText(255), "Name of the integration."),
  maskedKey: describe(nonEmptyText(100), "First characters of the API key."),
  scopes: describe(v.array(v.picklist(scopes)), "Scopes of the integration. They apply to all its API keys."),
  status: describe(
    v.picklist(["active", "revoked", "expired"]),
    "Only active API keys are accepted. A revoked API key remains `revoked` after it expires.",
  ),
  createdAt: describe(dateTime, "Time of creation."),
  createdBy: describe(v.nullable(uuid), "ID of the admin who created it. `null` if it comes from a tenant file."),
  lastUsedAt: describe(time, "Time of the last use, accurate to one minute. `null` if it was never used."),
  expiresAt: describe(time, "Expiry time. `null` if the API key doesn't expire."),
  revokedAt: describe(time, "Time of the revocation. `null` if it isn't revoked."),
};

/** The schema of an API key in a response. See `toApiKeyJson`. */
export const apiKeySchema = v.pipe(
  v.strictObject(entries),
  jsonSchema({ title: "ApiKey", description: "An API key of an integration. Its value isn't stored." }),
);

/** The schema of an API key in the response that creates it. */
export const apiKeyWithValueSchema = v.pipe(
  v.strictObject({
    ...entries,
    key: describe(v.nullable(nonEmptyText(100)), "The API key. Shown only in this response; `null` in a replay."),
  }),
  jsonSchema({ title: "CreatedApiKey", description: "A new API key with its value." }),
);
