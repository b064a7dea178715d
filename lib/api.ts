import type { Answer, Call, Caller, Context, Endpoint, Proposal } from "./endpoint.ts";
import { ApiError } from "./errors.ts";
import {
  fingerprintOf,
  idempotencyKeyOf,
  isOf,
  type KeptAnswer,
  type Keyed,
  keepingWrite,
  type Once,
  replayOf,
  sameAnswerOf,
} from "./idempotency.ts";
import { assertScope, assertTenant, bodyOf, type Incoming, parse } from "./incoming.ts";
import type { IdempotencyRecord } from "./records/integration.ts";
import { JsonText } from "./records/json.ts";
import { models } from "./records/kinds.ts";
import { type Storage, StorageUnavailable, type Write, WriteConflict } from "./storage.ts";

/** What goes out: `body` is JSON text, or null where there is none. */
export type Reply = KeptAnswer & {
  readonly replayed: boolean;
  readonly headers: Readonly<Record<string, string>>;
};

/** What `run` works with. Handlers see the context only. */
export type Engine = {
  readonly storage: Storage;
  readonly context: Context;
  /** Told what a caller's commit wrote, once it is durable; not of the answer that is kept with it. Must not throw. */
  readonly onCommitted: ((writes: readonly Write[], caller: Caller) => void) | undefined;
};

/** How often a request is handled anew because others changed what it read. Each time at least one of them got on. */
const attemptsMax = 200;

/**
 * Scope, tenant, shape, earlier answer, handler, commit, in this order; the only place that writes. A handler whose reading
 * went stale runs again; two requests with one Idempotency-Key end with one effect and the same answer.
 * @throws ApiError @throws StorageUnavailable
 */
export async function run(engine: Engine, endpoint: Endpoint, incoming: Incoming): Promise<Reply> {
  const { storage, context } = engine;
  assertScope(endpoint, incoming);
  const keyed = keyedOf(endpoint, incoming, storage.isRemote !== true);
  const { tenantId } = incoming.caller;
  const find = async () => keyed && (await storage.get(tenantId, "idempotencyRecord", keyed.id));
  const first = keyed && !storage.isRemote ? await find() : undefined;
  // To the letter what was done under this key: its body was read and checked then.
  const same = keyed && sameAnswerOf(first, keyed.asSent, context.clock.now());
  const body = same ? undefined : bodyOf(endpoint, incoming);
  assertTenant(endpoint, incoming, body);
  if (same !== undefined) return { ...same, replayed: true, headers: {} };
  const once = keyed && { ...keyed, meaning: fingerprintOf({ ...keyed.operation, body }) };
  let call: Call | undefined;
  const handle = async (): Promise<Answer | Proposal> => {
    call ??= parse(endpoint, incoming, body);
    return endpoint.handle(call as never, context);
  };
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const finding = attempt === 0 && !storage.isRemote ? first : find();
    // Beyond a network both are on their way at once: handling has no effect, and is forgotten where an answer was kept.
    const handling = once && storage.isRemote ? handle() : undefined;
    handling?.catch(() => {});
    const earlier = await finding;
    // The shape of what was done under this key was checked then.
    const isRepeated = once && earlier && isOf(earlier, once.meaning) && !incoming.queryFindings?.length;
    if (!isRepeated) call ??= parse(endpoint, incoming, body);
    const kept = once && replayOf(earlier, once.meaning, context.clock.now());
    if (kept !== undefined) return { ...kept, replayed: true, headers: {} };
    try {
      const outcome = await (handling ?? handle());
      return await settle(engine, incoming.caller, outcome, once, earlier);
    } catch (error) {
      if (isOvertaken(error)) continue;
      const refusal = duplicateOf(error) ?? error;
      // What refuses it may be the effect of this very request, sent twice and done meanwhile.
      const done = refusal instanceof ApiError && once && (await storage.get(tenantId, "idempotencyRecord", once.id));
      if (!done || done.updatedAt === earlier?.updatedAt) throw refusal;
    }
  }
  throw new StorageUnavailable(`${endpoint.name} was overtaken by other writes ${attemptsMax} times.`);
}

/** Commits what the handler proposed, and with it the record of the answer; answers once both are durable. */
async function settle(
  { storage, context, onCommitted }: Engine,
  caller: Caller,
  outcome: Answer | Proposal,
  once: Once | undefined,
  earlier: IdempotencyRecord | undefined,
): Promise<Reply> {
  if (typeof outcome !== "function" && once === undefined) return replyOf(outcome);
  const now = context.clock.now();
  let reply: Reply | undefined;
  let effect: readonly Write[] = [];
  await storage.commit(caller.tenantId, now, (at) => {
    const proposed = typeof outcome === "function" ? outcome(at) : { ...outcome, writes: [] };
    reply = replyOf(proposed);
    effect = proposed.writes;
    if (once === undefined) return proposed.writes;
    const { status, body, location } = replyOf(
      proposed.kept === undefined ? proposed : { ...proposed, body: proposed.kept },
    );
    return [...proposed.writes, keepingWrite(once, { status, body, location }, at, now, earlier)];
  });
  if (reply === undefined) throw new Error("commit resolved without having asked for the writes");
  if (effect.length > 0) onCommitted?.(effect, caller);
  return reply;
}

function replyOf({ status, body, location, headers }: Answer): Reply {
  const text = body === undefined ? null : body instanceof JsonText ? body.text : JSON.stringify(body);
  return { status, body: text, location: location ?? null, replayed: false, headers: headers ?? {} };
}

/** Its bytes are looked at where the kept answer is there before the body could be read. */
function keyedOf(endpoint: Endpoint, incoming: Incoming, isNear: boolean): Keyed | undefined {
  const { caller, params, query, queryFindings, idempotencyKey, bodyHash } = incoming;
  const key = endpoint.method === "POST" && idempotencyKey ? idempotencyKeyOf(idempotencyKey) : undefined;
  if (key === undefined) return undefined;
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? "");
  const operation = { method: endpoint.method, path, query };
  // What is wrong with how the query was written is to be told, whatever else.
  const isSent = isNear && bodyHash !== undefined && !queryFindings?.length;
  const asSent = isSent ? fingerprintOf({ ...operation, body: bodyHash() }) : undefined;
  return { id: `${ownerOf(caller)}:${key}`, integrationId: caller.integrationId, operation, asSent };
}

/** Whose an Idempotency-Key is: the integration's, which may change its API key, or the user's. */
function ownerOf({ integrationId, userId, keyId }: Caller): string {
  return integrationId ?? (userId === null && keyId !== null ? `key:${keyId}` : `user:${userId}`);
}

/** Whether what was read is no longer so, or someone has made the very record since: to read again may end otherwise. */
function isOvertaken(error: unknown): boolean {
  return error instanceof WriteConflict && (error.reason === "stale" || error.field === "id");
}

function duplicateOf(error: unknown): ApiError | undefined {
  if (!(error instanceof WriteConflict) || error.reason !== "taken") return undefined;
  const { kind, field, id } = error;
  const message = `There is already ${/^[aeio]/.test(kind) ? "an" : "a"} ${models[kind].kind} with this ${field}.`;
  return new ApiError("duplicate", message, { details: { existingId: id, field } });
}
