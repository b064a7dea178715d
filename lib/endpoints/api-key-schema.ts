import * as v from "valibot";
import { filledText, instant, means, oneOf, said, uuid } from "../input/scalars.ts";
import { scopes } from "../records/integration.ts";

const time = v.nullable(instant);

const entries = {
  id: said(uuid, "What the key is revoked by."),
  integrationId: said(uuid, "The integration that the key belongs to."),
  integrationName: said(filledText(255), "What the integration is called."),
  maskedKey: said(filledText(100), "The beginning of the key, to tell it from others."),
  scopes: said(v.array(oneOf(scopes)), "What the integration may do, with each of its keys."),
  status: said(
    oneOf(["active", "revoked", "expired"]),
    "Only active keys are accepted. A revoked key stays revoked when it would have expired.",
  ),
  createdAt: said(instant, "When it was made."),
  createdBy: said(v.nullable(uuid), "The user who made it. Null: it came with a tenant file."),
  lastUsedAt: said(time, "When it was last used, to the minute. Null: never."),
  expiresAt: said(time, "From when on it is refused. Null: it does not expire."),
  revokedAt: said(time, "When it was revoked. Null: it was not."),
};

/** A key as `keyView` shows it. */
export const keySchema = v.pipe(
  v.strictObject(entries),
  means({ title: "ApiKey", description: "An integration's key, masked: its value is kept nowhere." }),
);

/** A key in the answer that made it. */
export const newKeySchema = v.pipe(
  v.strictObject({
    ...entries,
    key: said(v.nullable(filledText(100)), "The value, shown this once. Null in a replay."),
  }),
  means({ title: "NewApiKey", description: "A key that was just made, with its value." }),
);
