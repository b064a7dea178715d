import * as v from "valibot";
import { dateTime } from "./date-time.ts";
import { model, type RecordOf } from "./model.ts";
import { nonEmptyText, text, unboundedText, uuid } from "./scalars.ts";

/** The maximum length of a URL. */
export const maxUrlLength = 2_048;

/** A URL that receives events. Its endpoints have stricter schemas of `url` and `types`. */
export const webhook = model(
  "webhook",
  "webhooks",
  {
    integrationId: { schema: v.nullable(uuid), reference: "integration", readOnly: "update" },
    url: { schema: text(maxUrlLength), required: true },
    types: { schema: v.nullable(v.array(unboundedText)), column: "json" },
    skipOwn: { schema: v.boolean("must be true or false"), column: "boolean", default: true },
    active: { schema: v.boolean("must be true or false"), column: "boolean", default: true },
    description: { schema: v.nullable(nonEmptyText(255)) },
    secret: { schema: unboundedText, required: true, hidden: true },
    previousSecret: { schema: v.nullable(unboundedText), hidden: true },
    previousSecretUntil: { schema: v.nullable(dateTime), column: "timestamp", hidden: true },
  },
  "A URL to which the server sends events.",
  {
    integrationId: "ID of the integration that the webhook belongs to. Null for a webhook of the tenant's admins.",
    url: "The https URL that receives the events, without user name, password and fragment.",
    types:
      "The types of the events to send, such as `opportunity.won` or `task.*`. Null for all. Events that the integration has " +
      "no read scope for aren't sent.",
    skipOwn: "Whether to leave out the events of the integration's own writes. Always false without an integration.",
    active: "Whether to send events. While it is false, the position stays where it is.",
    description: "A note for people.",
    secret: "",
    previousSecret: "",
    previousSecretUntil: "",
  },
);

/**
 * What was delivered of a webhook, with the same ID. It isn't a setting: a delivery must not empty the caches of
 * settings. The events up to `positionId` are settled, or without it the events before `positionAt`.
 */
export const webhookState = model("webhookState", "webhook_states", {
  positionAt: { schema: dateTime, column: "timestamp", required: true },
  positionId: { schema: v.nullable(uuid) },
  failingSince: { schema: v.nullable(dateTime), column: "timestamp" },
  failures: { schema: v.number(), column: "integer", default: 0 },
  /** Consecutive responses that reject the next event. */
  rejections: { schema: v.number(), column: "integer", default: 0 },
  nextAttemptAt: { schema: v.nullable(dateTime), column: "timestamp" },
  lastAttempt: { schema: v.nullable(v.custom<WebhookAttempt>(() => true)), column: "json" },
  lastSuccessAt: { schema: v.nullable(dateTime), column: "timestamp" },
  pausedReason: { schema: v.nullable(v.picklist(["failing", "gone", "expired"])) },
  skipped: { schema: v.array(v.custom<SkippedEvent>(() => true)), column: "json", default: [] },
  leaseOwner: { schema: v.nullable(unboundedText), hidden: true },
  leaseUntil: { schema: v.nullable(dateTime), column: "timestamp", hidden: true },
});

/** The result of the last attempt. `at` is in milliseconds since 1970. */
export type WebhookAttempt = {
  readonly at: number;
  readonly eventId: string | null;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
};

/** An event that the receiver rejected. `at` is in milliseconds since 1970. */
export type SkippedEvent = {
  readonly eventId: string;
  readonly type: string;
  readonly recordId: string;
  readonly at: number;
  readonly status: number;
};

export type Webhook = RecordOf<typeof webhook>;
export type WebhookState = RecordOf<typeof webhookState>;
