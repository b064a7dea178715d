import { assertUpdatedAtMatches } from "../api/conditional-requests.ts";
import type { Endpoint, EndpointCall, HandlerContext, HandlerResult, Proposal, Tag } from "../api/endpoint.ts";
import { eventKinds } from "../api/event-feed.ts";
import { findIssues, prepareRecord } from "../api/prepare-record.ts";
import { records } from "../api/records.ts";
import { getRecord } from "../api/require-record.ts";
import type { ResourceDefinition, StoredRecord } from "../api/resource-definition.ts";
import { deepEqual } from "../api/rules/record-diff.ts";
import { updateWrite } from "../api/update-write.ts";
import { entityKinds } from "../model/entities.ts";
import { ApiError } from "../model/errors.ts";
import type { FieldValues } from "../model/model.ts";
import { capitalize } from "../model/names.ts";
import { emptyBody } from "../model/schemas.ts";
import type { Webhook, WebhookState } from "../model/webhook.ts";
import type { Write } from "../storage/storage.ts";
import { newSecret } from "../webhooks/signature.ts";
import { setUpTag } from "./set-up-pipelines.ts";
import { type WebhookAccess, webhookActions } from "./webhook-actions.ts";
import {
  assertBelowLimit,
  assertTarget,
  listWebhooks,
  type NewPosition,
  newState,
  requireWebhook,
  restart,
} from "./webhook-records.ts";
import { toWebhookJson, webhookModel, webhookSchemas } from "./webhook-schema.ts";

const webhookTag: Tag = {
  name: "Webhooks",
  description: "URLs to which the server sends events, signed, in the order of the commits of each record.",
};

type WebhookBody = Partial<Webhook> & { readonly position?: NewPosition };

const createDescription =
  "Creates a webhook. The response is the only one that shows its secret. It receives the events after its creation.";
const updateDescription =
  "Updates the given fields. `active: true`, a new `url` or a new `position` starts the delivery afresh, also if the server " +
  "has paused it. Other `types` end the wait after a failed attempt. " +
  '`position: {"since": …}` delivers again from a time, and `position: "latest"` skips all events so far.';

/** The endpoints of webhooks: those of an integration for itself, and all for admins. */
export const webhooks: readonly Endpoint[] = [false, true].flatMap(webhookEndpoints);

function webhookEndpoints(isAdmin: boolean): readonly Endpoint[] {
  const model = webhookModel(isAdmin ? eventKinds : entityKinds, isAdmin);
  const schemas = webhookSchemas(model, isAdmin ? "Admin" : "");
  const exampleId = isAdmin ? "0199c0a1-0000-7000-8000-000000000002" : "0199c0a1-0000-7000-8000-000000000001";
  const definition: ResourceDefinition = {
    model,
    filters: {},
    example: {
      id: exampleId,
      create: { url: "https://hooks.fjordlys.example/crm", types: ["opportunity.won", "task.*"] },
      update: { types: ["opportunity.*"], active: true },
    },
    deriveFields: (after) => (after.integrationId === null && isAdmin ? { ...after, skipOwn: false } : after),
  };
  const kind: WebhookAccess = {
    ...{ isAdmin, model, exampleId, withSecret: schemas.withSecret },
    path: isAdmin ? "/admin/webhooks" : "/webhooks",
    tag: isAdmin ? setUpTag : webhookTag,
    access: isAdmin ? { access: "admin" } : { scope: "webhooks:write" },
    nameOf: (operation) => (isAdmin ? `admin${capitalize(operation)}` : operation),
  };
  const find = (call: EndpointCall, context: HandlerContext, includeArchived?: boolean) =>
    requireWebhook(model, isAdmin, call, context, includeArchived);
  const show = (record: Webhook, state: WebhookState) => ({ data: toWebhookJson(model, record, state) });
  const [list, create, get, update, archive, restore, history] = records(definition, {
    ...kind,
    data: schemas.data,
    access: (permission) => (isAdmin ? { access: "admin" } : { scope: `webhooks:${permission}` }),
    errors: {
      create: ["conflict", "validation_error"],
      update: ["conflict", "validation_error"],
      archive: [],
      restore: ["conflict"],
    },
  }).map(({ hasETag: _, hasDryRun: __, ...each }) => each) as unknown as SevenEndpoints;
  const own: readonly Endpoint[] = [
    {
      ...list,
      description: "Returns the webhooks with their states, oldest first.",
      query: {},
      errors: [],
      success: { status: 200, data: schemas.data, collection: "list" },
      example: {},
      async handle(call, context) {
        const found = await listWebhooks(isAdmin, call, context);
        return { status: 200, body: { data: found.map(({ record, state }) => show(record, state).data) } };
      },
    },
    {
      ...create,
      description: createDescription,
      body: schemas.create,
      success: { status: 201, data: schemas.withSecret },
      handle: (call, context) => createWebhook(definition, kind, call, context),
    },
    {
      ...get,
      description:
        "Returns a webhook with its state. Returns 404 if it is archived, unless `includeArchived` is `true`.",
      async handle(call: EndpointCall<{ readonly includeArchived?: boolean }>, context) {
        const { record, state } = await find(call, context, call.query.includeArchived === true);
        return { status: 200, body: show(record, state) };
      },
    },
    {
      ...update,
      description: updateDescription,
      body: schemas.update,
      handle: (call, context) => updateWebhook(definition, kind, call, context),
      async findIssues(call, issues, context) {
        const before = (await getRecord(model, call, context)) as StoredRecord | undefined;
        const isOwn = isAdmin || before?.integrationId === call.caller.integrationId;
        if (before?.archivedAt !== null || !isOwn) return issues;
        return findIssues(definition, before, withoutPosition(call).call, context, issues);
      },
    },
    {
      ...archive,
      description: "Archives a webhook: it sends no more events, and its position stays where it is.",
      async handle(call: EndpointCall<never, never>, context) {
        await find(call, context);
        return archive.handle(call, context);
      },
    },
    ...webhookActions(kind),
  ];
  if (!isAdmin) return own;
  const restoring: Endpoint = {
    ...restore,
    description: "Restores an archived webhook. It continues at its position.",
    body: emptyBody,
    async handle(call, context) {
      const { record, state } = await find(call, context, true);
      if (record.archivedAt === null) return { status: 200, body: show(record, state) };
      await assertBelowLimit(call.caller.tenantId, record.integrationId, context);
      return (at) => {
        const after: Webhook = { ...record, archivedAt: null, updatedAt: at };
        return { status: 200, body: show(after, state), writes: [updateWrite("webhook", record, after, at)] };
      };
    },
  };
  const { findIssues: _, ...plain } = restoring;
  return [...own, plain, history];
}

type SevenEndpoints = readonly [Endpoint, Endpoint, Endpoint, Endpoint, Endpoint, Endpoint, Endpoint];

async function createWebhook(
  definition: ResourceDefinition,
  { isAdmin, model, path }: WebhookAccess,
  call: EndpointCall,
  context: HandlerContext,
): Promise<Proposal> {
  const { tenantId, integrationId: callerId } = call.caller;
  if (!isAdmin && callerId === null) {
    const message = "A webhook belongs to an integration, and this caller has none.";
    throw new ApiError("insufficient_scope", message, { details: { required: "webhooks:write" } });
  }
  const values = (await prepareRecord(definition, undefined, call, context)) as unknown as Webhook;
  const integrationId = isAdmin ? values.integrationId : callerId;
  await assertBelowLimit(tenantId, integrationId, context);
  await assertTarget(values.url, context);
  const [id, secret] = [context.newId(), newSecret(context.random)];
  return (at, now) => {
    const secrets = { secret, previousSecret: null, previousSecretUntil: null };
    const record: Webhook = {
      ...values,
      id,
      integrationId,
      ...secrets,
      createdAt: now,
      updatedAt: at,
      archivedAt: null,
    };
    const state = newState(id, at, now);
    const data = toWebhookJson(model, record, state);
    return {
      status: 201,
      location: `${path}/${id}`,
      body: { data: { ...data, secret } },
      replayBody: { data: { ...data, secret: null } },
      writes: [
        { op: "insert", kind: "webhook", record },
        { op: "insert", kind: "webhookState", record: state },
      ],
    };
  };
}

async function updateWebhook(
  definition: ResourceDefinition,
  { isAdmin, model }: WebhookAccess,
  request: EndpointCall,
  context: HandlerContext,
): Promise<HandlerResult | Proposal> {
  const { record: before, state } = await requireWebhook(model, isAdmin, request, context);
  const { call, position } = withoutPosition(request);
  const input = call.body as FieldValues;
  assertUpdatedAtMatches(input.updatedAt as never, "webhook", before.updatedAt);
  const values = await prepareRecord(definition, before as unknown as StoredRecord, call, context);
  const after = values as unknown as Webhook;
  const isMoved = after.url !== before.url;
  if (isMoved) await assertTarget(after.url, context);
  // The event that failed may be one that is no longer wanted.
  const isRetried = state.pausedReason === null && !deepEqual(after.types, before.types);
  const isRestart = input.active === true || isMoved || isRetried || position !== undefined;
  const restarted = isRestart ? await restart(call.caller.tenantId, state, position, context) : () => state;
  const isChanged = !deepEqual(after, before);
  return (at) => {
    const [newRecord, newState] = [isChanged ? { ...after, updatedAt: at } : before, restarted(at)];
    const writes: Write[] = [
      ...(isChanged ? [updateWrite("webhook", before, newRecord, at)] : []),
      ...(deepEqual(newState, state) ? [] : [updateWrite("webhookState", state, newState, at)]),
    ];
    return { status: 200, body: { data: toWebhookJson(model, newRecord, newState) }, writes };
  };
}

/** Separates the position from the fields of the webhook. */
function withoutPosition(call: EndpointCall): {
  readonly call: EndpointCall;
  readonly position: NewPosition | undefined;
} {
  const { position, ...body } = call.body as WebhookBody;
  return { call: { ...call, body }, position };
}
