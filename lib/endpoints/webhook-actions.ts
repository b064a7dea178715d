import * as v from "valibot";
import { type Endpoint, type EndpointCall, endpoint, type HandlerContext, type Tag } from "../api/endpoint.ts";
import { updateWrite } from "../api/update-write.ts";
import { validationError } from "../model/errors.ts";
import type { Event } from "../model/event.ts";
import type { Kind } from "../model/kinds.ts";
import type { Model } from "../model/model.ts";
import { describe, jsonSchema, unboundedText, uuid } from "../model/scalars.ts";
import { emptyBody } from "../model/schemas.ts";
import type { Webhook, WebhookState } from "../model/webhook.ts";
import { eventBody, isWanted, messageBody, validSecrets } from "../webhooks/message.ts";
import { verdictOf } from "../webhooks/retry.ts";
import type { Outcome } from "../webhooks/send.ts";
import { newSecret } from "../webhooks/signature.ts";
import { requireWebhook } from "./webhook-records.ts";
import { toWebhookJson } from "./webhook-schema.ts";

type Access = { readonly scope: "webhooks:write" } | { readonly access: "admin" };

/** The differences between the endpoints of integrations and those of admins. */
export type WebhookAccess = {
  readonly isAdmin: boolean;
  readonly model: Model<Kind>;
  readonly path: string;
  readonly tag: Tag;
  readonly withSecret: v.GenericSchema;
  readonly access: Access;
  readonly nameOf: (operation: string) => string;
  readonly exampleId: string;
};

/** The previous secret signs messages for this time after a rotation. */
const rotationMs = 24 * 60 * 60_000;

const outcomeSchema = v.pipe(
  v.strictObject({
    status: describe(v.nullable(v.number()), "Status of the response. Null if there was none."),
    error: describe(v.nullable(unboundedText), "Why there was no response. Null if there was one."),
    durationMs: describe(v.number(), "Duration in milliseconds."),
  }),
  jsonSchema({ title: "WebhookOutcome", description: "The result of one attempt." }),
);

/** Returns the endpoints that rotate the secret of a webhook and send single messages. */
export function webhookActions(kind: WebhookAccess): readonly Endpoint[] {
  const { isAdmin, model, path, tag, withSecret, access, nameOf, exampleId } = kind;
  const params = { id: exampleId };
  const find = (call: EndpointCall, context: HandlerContext) => requireWebhook(model, isAdmin, call, context);
  return [
    endpoint({
      name: nameOf("rotateWebhookSecret"),
      method: "POST",
      path: `${path}/:id/rotate-secret`,
      summary: "Rotate the secret of a webhook",
      description:
        "Returns a new secret. For 24 hours, messages have a signature of the new secret and one of the secret before it, so " +
        "that a receiver can change the secret without a gap.",
      tag,
      ...access,
      body: emptyBody,
      success: { status: 200, data: withSecret },
      example: { params },
      async handle(call, context) {
        const { record, state } = await find(call, context);
        const secret = newSecret(context.random);
        return (at, now) => {
          const previous = { previousSecret: record.secret, previousSecretUntil: now + rotationMs };
          const after: Webhook = { ...record, secret, ...previous, updatedAt: at };
          const data = toWebhookJson(model, after, state);
          return {
            status: 200,
            body: { data: { ...data, secret } },
            replayBody: { data: { ...data, secret: null } },
            writes: [updateWrite("webhook", record, after, at)],
          };
        };
      },
    }),
    endpoint({
      name: nameOf("testWebhook"),
      method: "POST",
      path: `${path}/:id/test`,
      summary: "Send a test event to a webhook",
      description:
        "Sends one event of the type `webhook.test`, without a record, and returns the result after at most 15 seconds. The " +
        "state of the webhook doesn't change.",
      tag,
      ...access,
      isLong: true,
      body: emptyBody,
      success: { status: 200, data: outcomeSchema },
      example: { params },
      async handle(call, context) {
        const { record } = await find(call, context);
        const event = testEvent(record, call, context);
        return outcomeResult(await sendOnce(call, context, record, event, async () => messageBody(event, "null")));
      },
    }),
    endpoint({
      name: nameOf("redeliverWebhook"),
      method: "POST",
      path: `${path}/:id/redeliver`,
      summary: "Send one event to a webhook again",
      description:
        "Sends an event that exists, and returns the result after at most 15 seconds. On success, the event is removed from " +
        "`skipped`. The position doesn't change.",
      tag,
      ...access,
      isLong: true,
      body: v.strictObject({ eventId: describe(uuid, "ID of the event.") }),
      success: { status: 200, data: outcomeSchema },
      errors: ["invalid_reference"],
      example: { params, body: { eventId: "01943aa0-bc00-8000-a000-000000000001" } },
      async handle(call, context) {
        const { record, state } = await find(call, context);
        const { tenantId } = call.caller;
        const event = await findEvent(call.body.eventId, record, tenantId, context);
        const outcome = await sendOnce(call, context, record, event, () => eventBody(context.storage, tenantId, event));
        const skipped = state.skipped.filter(({ eventId }) => eventId !== event.id);
        if (verdictOf(outcome.status) !== "success" || skipped.length === state.skipped.length)
          return outcomeResult(outcome);
        const after: WebhookState = { ...state, skipped };
        return (at) => ({ ...outcomeResult(outcome), writes: [updateWrite("webhookState", state, after, at)] });
      },
    }),
  ];
}

/** Sends are done once per request, although a stale commit runs the handler again. */
const outcomes = new WeakMap<object, Promise<Outcome>>();

function sendOnce(
  call: object,
  { webhooks, clock }: HandlerContext,
  record: Webhook,
  { id }: Event,
  makeBody: () => Promise<string>,
): Promise<Outcome> {
  const send = async (): Promise<Outcome> =>
    webhooks.send({ url: record.url, id, body: await makeBody(), secrets: validSecrets(record, clock.now()) });
  const outcome = outcomes.get(call) ?? send();
  outcomes.set(call, outcome);
  return outcome;
}

function outcomeResult({ status, error, durationMs }: Outcome) {
  return { status: 200, body: { data: { status, error, durationMs } } };
}

function testEvent({ id: recordId }: Webhook, { caller }: EndpointCall, { newId, clock }: HandlerContext): Event {
  const { integrationId, keyId, userId } = caller;
  const [id, now] = [newId(), clock.now()];
  const empty = { changed: null, before: null, previousAt: null, requestId: null, archivedAt: null };
  return { id, type: "webhook.test", recordId, integrationId, keyId, userId, ...empty, createdAt: now, updatedAt: now };
}

/** @throws ApiError `422 invalid_reference` if there is no such event, or if the integration may not see it */
async function findEvent(id: string, record: Webhook, tenantId: string, { storage }: HandlerContext): Promise<Event> {
  const { integrationId } = record;
  const [event, integration] = await Promise.all([
    storage.get(tenantId, "event", id),
    integrationId === null ? undefined : storage.get(tenantId, "integration", integrationId),
  ]);
  if (event !== undefined && isWanted(event, { ...record, types: null, skipOwn: false }, integration)) return event;
  const message = "The event in eventId doesn't exist. Events are deleted after some time.";
  throw validationError([{ kind: "invalid_reference", problem: { path: "/eventId", code: "not_found", message } }]);
}
