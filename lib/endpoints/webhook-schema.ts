import * as v from "valibot";
import { dateTime, formatDateTime } from "../model/date-time.ts";
import { eventTypes } from "../model/event.ts";
import type { Kind } from "../model/kinds.ts";
import { type Model, toJsonObject } from "../model/model.ts";
import { describe, jsonSchema, listOf, refine, text, unboundedText, uuid } from "../model/scalars.ts";
import { archivableSchema, createSchema, readOnlyField, updateSchema } from "../model/schemas.ts";
import { maxUrlLength, type Webhook, type WebhookState, webhook } from "../model/webhook.ts";

const time = v.nullable(dateTime);
const count = v.number();

const attempt = v.strictObject({
  at: describe(dateTime, "Time of the attempt."),
  eventId: describe(v.nullable(uuid), "ID of the event."),
  status: describe(v.nullable(count), "Status of the response. Null if there was none."),
  error: describe(v.nullable(unboundedText), "Why there was no response. Null if there was one."),
  durationMs: describe(count, "Duration in milliseconds."),
});
const skippedEvent = v.strictObject({
  eventId: describe(uuid, "ID of the event."),
  type: describe(unboundedText, "Type of the event."),
  recordId: describe(uuid, "ID of its record."),
  at: describe(dateTime, "Time of the last attempt."),
  status: describe(count, "Status of the last response."),
});

/** The state, as members of a webhook in a response. */
const stateFields = {
  position: describe(
    v.strictObject({
      time: describe(dateTime, "All events before this time are settled."),
      eventId: describe(v.nullable(uuid), "Of the events at this time, those up to this one are settled as well."),
    }),
    "The position in the event log. All later events are still to be delivered.",
  ),
  failingSince: describe(time, "Time of the first failure after the last success. Null if the last attempt succeeded."),
  failures: describe(count, "Number of failed attempts in a row."),
  nextAttemptAt: describe(time, "Time of the next attempt after a failure."),
  lastAttempt: describe(v.nullable(attempt), "The last attempt. Stored at most once a second."),
  lastSuccessAt: describe(time, "Time of the last attempt that succeeded."),
  pausedReason: describe(
    v.nullable(v.picklist(["failing", "gone", "expired"])),
    "Why the server has paused the webhook: `failing` after 72 hours without a success, `gone` after a response with " +
      "status 410, or `expired` because events after the position were deleted. An update with `active: true` continues.",
  ),
  skipped: describe(v.array(skippedEvent), "The last 100 events that the receiver rejected in every attempt."),
};

/** A host without user name, and no fragment. */
const [host, rest] = [String.raw`[^\s\u0000/?#@\\]+`, String.raw`[/?][^\s\u0000#]*`];
const urlPattern = new RegExp(`^[Hh][Tt][Tt][Pp][Ss]?://${host}(?:${rest})?$`);
const url = v.pipe(
  text(maxUrlLength),
  jsonSchema({ pattern: urlPattern.source }),
  refine<string>("invalid_format", isWebhookUrl, "must be an https URL without user name, password and fragment"),
);

/** Accepts a text that is too long, so that only one error is reported. */
function isWebhookUrl(value: string): boolean {
  return value.length > maxUrlLength || (urlPattern.test(value) && URL.parse(value) !== null);
}

/** Returns the model of webhooks whose filters can have the types of these kinds. */
export function webhookModel(kinds: readonly Kind[], canSetIntegration: boolean): Model<Kind> {
  const types = [...eventTypes(kinds), ...kinds.map((kind) => `${kind}.*`)];
  const filters = v.pipe(
    listOf(v.picklist(types), 50, "must be a list of event types"),
    jsonSchema({ minItems: 1 }),
    refine<string[]>("out_of_range", ({ length }) => length > 0, "must have an entry, or be null for all events"),
  );
  const { integrationId, ...fields } = webhook.fields;
  return {
    ...webhook,
    fields: {
      integrationId: { ...integrationId, readOnly: canSetIntegration ? "update" : true },
      ...fields,
      url: { ...fields.url, schema: url },
      types: { ...fields.types, schema: v.nullable(filters) },
    },
  };
}

/** Returns the schemas of requests and responses. `prefix` precedes the names of the types. */
export function webhookSchemas(model: Model<Kind>, prefix: string) {
  const { entries } = archivableSchema(model) as unknown as { entries: Record<string, v.GenericSchema> };
  const members = { ...entries, ...stateFields };
  const named = (name: string, more: Record<string, v.GenericSchema> = {}) =>
    v.pipe(
      v.strictObject({ ...members, ...more }),
      jsonSchema({ title: prefix + name, description: model.descriptions?.about }),
    );
  const secret = describe(
    v.nullable(unboundedText),
    "The secret that signs the messages: `whsec_` and 32 bytes in base64. Shown only in this response; `null` in a replay.",
  );
  const position = v.optional(
    describe(
      v.union([
        v.literal("latest"),
        v.strictObject({
          since: describe(dateTime, "The events from this time on are delivered, again or for the first time."),
        }),
      ]),
      "A new position: a time, or `latest` to skip all events so far.",
    ),
  );
  const { position: _, ...readOnly } = stateFields;
  const rejected = Object.fromEntries(Object.keys(readOnly).map((name) => [name, readOnlyField]));
  const body = (schema: v.GenericSchema, title: string, more: Record<string, v.GenericSchema>) =>
    v.pipe(
      v.strictObject({
        ...(schema as unknown as { entries: Record<string, v.GenericSchema> }).entries,
        ...rejected,
        ...more,
      }),
      jsonSchema({ title: prefix + title }),
    );
  return {
    data: named("Webhook"),
    withSecret: named("WebhookWithSecret", { secret }),
    create: body(createSchema(model), "WebhookCreate", { position: readOnlyField }),
    update: body(updateSchema(model), "WebhookUpdate", { position }),
  };
}

/** Returns a webhook and its state as one object, without hidden fields and the lease. */
export function toWebhookJson(model: Model<Kind>, record: Webhook, state: WebhookState): Record<string, unknown> {
  const { createdAt, updatedAt, archivedAt, ...fields } = toJsonObject(model, record);
  const { failures, pausedReason, lastAttempt } = state;
  return {
    ...fields,
    position: { time: formatDateTime(state.positionAt), eventId: state.positionId },
    failingSince: formatDateTime(state.failingSince),
    failures,
    nextAttemptAt: formatDateTime(state.nextAttemptAt),
    lastAttempt: lastAttempt === null ? null : { ...lastAttempt, at: formatDateTime(lastAttempt.at) },
    lastSuccessAt: formatDateTime(state.lastSuccessAt),
    pausedReason,
    skipped: state.skipped.map((each) => ({ ...each, at: formatDateTime(each.at) })),
    createdAt,
    updatedAt,
    ...(archivedAt === undefined ? {} : { archivedAt }),
  };
}
