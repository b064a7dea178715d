import * as v from "valibot";
import { filledText, instant, means, oneOf, uuid } from "../input/scalars.ts";
import { scopes } from "../records/integration.ts";

const time = (description: string) => v.pipe(v.nullable(instant), means({ description }));

const entries = {
  id: v.pipe(uuid, means({ description: "What the key is revoked by." })),
  integrationId: v.pipe(uuid, means({ description: "The integration that the key belongs to." })),
  integrationName: v.pipe(filledText(255), means({ description: "What the integration is called." })),
  maskedKey: v.pipe(filledText(100), means({ description: "The beginning of the key, to tell it from others." })),
  scopes: v.pipe(v.array(oneOf(scopes)), means({ description: "What the integration may do, with each of its keys." })),
  status: v.pipe(
    oneOf(["active", "revoked", "expired"]),
    means({ description: "Only active keys are accepted. A revoked key stays revoked when it would have expired." }),
  ),
  createdAt: v.pipe(instant, means({ description: "When it was made." })),
  createdBy: v.pipe(
    v.nullable(uuid),
    means({ description: "The user who made it. Null: it came with a tenant file." }),
  ),
  lastUsedAt: time("When it was last used, to the minute. Null: never."),
  expiresAt: time("From when on it is refused. Null: it does not expire."),
  revokedAt: time("When it was revoked. Null: it was not."),
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
    key: v.pipe(v.nullable(filledText(100)), means({ description: "The value, shown this once. Null in a replay." })),
  }),
  means({ title: "NewApiKey", description: "A key that was just made, with its value." }),
);
