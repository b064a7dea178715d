import type { EndpointCall, HandlerContext } from "../api/endpoint.ts";
import { requireRecord } from "../api/require-record.ts";
import { stateConflict } from "../api/rules/record-diff.ts";
import type { FieldError, Limits } from "../model/errors.ts";
import { ApiError, validationError } from "../model/errors.ts";
import type { Kind } from "../model/kinds.ts";
import type { Model } from "../model/model.ts";
import type { Webhook, WebhookState } from "../model/webhook.ts";
import { ForbiddenTarget } from "../webhooks/send.ts";

/** Maximum number of webhooks of an integration, and of the admins. */
const maxWebhooks = 20;

/** The new position in a PATCH. */
export type NewPosition = "latest" | { readonly since: number };

/**
 * Returns the webhook with the ID in the path, and its state. A caller that isn't an admin sees only its own.
 * @throws ApiError 404
 */
export async function requireWebhook(
  model: Model<Kind>,
  isAdmin: boolean,
  call: EndpointCall,
  context: HandlerContext,
  includeArchived = false,
): Promise<{ readonly record: Webhook; readonly state: WebhookState }> {
  const record = (await requireRecord(model, call, context, includeArchived)) as unknown as Webhook;
  const { tenantId, integrationId } = call.caller;
  const isVisible = isAdmin || (integrationId !== null && record.integrationId === integrationId);
  const state = isVisible ? await context.storage.get(tenantId, "webhookState", record.id) : undefined;
  if (state === undefined) throw new ApiError("not_found", "No webhook with this ID.");
  return { record, state };
}

/** Returns the webhooks that the caller may see, oldest first, with their states. */
export async function listWebhooks(isAdmin: boolean, { caller }: EndpointCall, { storage }: HandlerContext) {
  const { tenantId, integrationId } = caller;
  const [webhooks, states] = await Promise.all([
    storage.list(tenantId, "webhook", {}),
    storage.list(tenantId, "webhookState", {}),
  ]);
  const byId = new Map(states.map((state) => [state.id, state]));
  const isVisible = (record: Webhook) => isAdmin || (integrationId !== null && record.integrationId === integrationId);
  return webhooks
    .filter(isVisible)
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    .flatMap((record) => {
      const state = byId.get(record.id);
      return state === undefined ? [] : [{ record, state }];
    });
}

/** @throws ApiError `409 conflict` if the integration, or the admins, have the maximum number of webhooks */
export async function assertBelowLimit(
  tenantId: string,
  integrationId: string | null,
  { storage }: HandlerContext,
): Promise<void> {
  const webhooks = await storage.list(tenantId, "webhook", {});
  if (webhooks.filter((each) => each.integrationId === integrationId).length < maxWebhooks) return;
  const owner = integrationId === null ? "The tenant's admins have" : "The integration has";
  throw stateConflict(`${owner} ${maxWebhooks} webhooks. Delete one first.`, "webhook_limit", ["delete"]);
}

/** @throws ApiError `422 validation_error` for http, or if the host has a forbidden address */
export async function assertTarget(url: string, { webhooks }: HandlerContext): Promise<void> {
  try {
    await webhooks.check(url);
  } catch (error) {
    const isHttp = url.toLowerCase().startsWith("http:");
    if (!isHttp && !(error instanceof ForbiddenTarget)) throw error;
    const message = isHttp
      ? "url must be an https URL. http is possible only for a target that the server allows with --webhook-allow."
      : `${(error as Error).message} To send events to it, start the server with --webhook-allow.`;
    throw validationError([{ kind: "rule", problem: { path: "/url", code: "out_of_range", message } }]);
  }
}

/** Returns the state of a new webhook. Its first event is the one after the commit that creates it. */
export function newState(id: string, at: number, now: number): WebhookState {
  return {
    id,
    ...{ positionAt: at + 1, positionId: null, lastAttempt: null, lastSuccessAt: null, skipped: [] },
    ...{ ...freshStart, leaseOwner: null, leaseUntil: null, createdAt: now, updatedAt: at, archivedAt: null },
  };
}

/** The fields of a state without failures. */
const freshStart = { failures: 0, rejections: 0, failingSince: null, nextAttemptAt: null, pausedReason: null };

/**
 * Returns a function that starts the delivery afresh at a commit time: from the position of the state, from a new one,
 * or from the first event that exists.
 * @throws ApiError `422 validation_error` if the events of the new position don't exist
 */
export async function restart(
  tenantId: string,
  state: WebhookState,
  position: NewPosition | undefined,
  { storage, clock }: HandlerContext,
): Promise<(at: number) => WebhookState> {
  const from = await storage.eventsFrom(tenantId);
  if (position === "latest") return (at) => ({ ...state, ...freshStart, positionAt: at + 1, positionId: null });
  if (position === undefined && state.positionAt >= from) return () => ({ ...state, ...freshStart });
  const since = position?.since ?? from;
  const now = clock.now();
  const notBefore = new Date(from).toISOString();
  if (since < from) throw outOfRange(`Events exist from ${notBefore}. Send this time or a later one.`, { notBefore });
  if (since > now) {
    const message = "position.since must not be in the future. To skip all events, send latest.";
    throw outOfRange(message, { notAfter: new Date(now).toISOString() });
  }
  return () => ({ ...state, ...freshStart, positionAt: since, positionId: null });
}

function outOfRange(message: string, limits: Limits): ApiError {
  const problem: FieldError = { path: "/position/since", code: "out_of_range", message, limits };
  return validationError([{ kind: "rule", problem }]);
}
