import { ApiError } from "../model/errors.ts";
import type { Kind } from "../model/kinds.ts";
import type { Model } from "../model/model.ts";
import { RawJson } from "../model/record-json.ts";
import { upsertSchema } from "../model/schemas.ts";
import { cachedReads } from "../storage/cached-reads.ts";
import { overlayStorage } from "../storage/overlay.ts";
import { WriteConflict } from "../storage/storage.ts";
import { BatchTooLarge, boundedReads, responseCounter, toProposal, turnTaker } from "./batch-limits.ts";
import { assertMembers, type Batch, batchItemSchema, batchSchema, type Op, type Operation } from "./batch-schemas.ts";
import {
  type Endpoint,
  type EndpointCall,
  endpoint,
  type HandlerContext,
  type HandlerResult,
  type Proposal,
} from "./endpoint.ts";
import { toDuplicateError } from "./run-endpoint.ts";
import { anyObject, runWithoutCommit } from "./upsert.ts";

/** The endpoints that a batch calls. Kinds without a field to match have no upsert. */
export type Targets = { readonly [O in Op]?: Endpoint };

/** How a batch differs from `POST /{plural}/batch`. */
type BatchOptions = {
  readonly maxOperations: number;
  /** Whether each operation can have the ID of the record that it creates. The results then have no records. */
  readonly hasNewIds: boolean;
};

const requestOptions: BatchOptions = { maxOperations: 100, hasNewIds: false };

/** The result of one operation: its response, or the error that the single request would return. */
type Outcome = { readonly op: Op; readonly propose: Proposal } | { readonly error: ApiError };

/** Returns the endpoint that runs up to 100 operations on records of one kind. */
export function batchEndpoint(model: Model<Kind>, targets: Targets, options = requestOptions): Endpoint {
  const { maxOperations } = options;
  const { plural } = model;
  const { tag, scope, example } = targets.create as Endpoint;
  const { example: updateExample } = targets.update as Endpoint;
  const upsertExample = targets.upsert?.example;
  return endpoint({
    name: `batch${tag.name}`,
    method: "POST",
    path: `/${plural}/batch`,
    summary: `Create, update and archive up to ${maxOperations} ${plural}`,
    description:
      "Runs the operations in order. Later operations see earlier ones. All that succeed are committed together, at " +
      "once. The status is 207 if an operation failed; its `error` is that of the single request. With `atomic`, a " +
      "failure returns 422 with `details.items`, and nothing is written. A second operation on the same record fails " +
      "with `409 conflict` and the reason `twice_in_batch`. The request takes one token of the rate limit. If the " +
      "records that it reads or returns exceed 4 MiB, the status is 413 and nothing is written. Of each tenant, two " +
      "batches run at a time, and the others wait in order.",
    tag,
    ...(scope === undefined ? {} : { scope }),
    hasDryRun: true,
    isLong: true,
    body: batchSchema(model, anyObject, options),
    describedBody: batchSchema(model, upsertSchema(model), options),
    success: { status: 200, otherStatus: 207, data: batchItemSchema(model), collection: "list" },
    errors: ["validation_error"],
    example: {
      body: {
        operations: [
          upsertExample === undefined
            ? { op: "create", data: example?.body }
            : { op: "upsert", ...upsertExample.query, data: upsertExample.body },
          { op: "update", id: updateExample?.params?.id, data: updateExample?.body },
        ],
      },
    },
    handle: (call, context) =>
      runBatch(model, targets, options, call as unknown as EndpointCall<unknown, Batch>, context),
    // The operation that fails then sees the record that has the value.
    isRetryable: () => true,
  });
}

async function runBatch(
  { kind }: Model<Kind>,
  targets: Targets,
  { hasNewIds }: BatchOptions,
  call: EndpointCall<unknown, Batch>,
  context: HandlerContext,
): Promise<HandlerResult | Proposal> {
  const { operations, atomic } = call.body;
  assertMembers(operations);
  // An import returns no records, and its file bounds what it reads.
  const reads = hasNewIds ? context.storage : boundedReads(context.storage);
  const countResponse = responseCounter();
  const storage = overlayStorage(cachedReads(reads, (each) => each === kind));
  const now = context.clock.now();
  const written = new Set<string>();
  const existing = hasNewIds ? await existingIds(kind, operations, call.caller.tenantId, context) : new Set();
  const runOperation = async (operation: Operation, last?: WriteConflict): Promise<Outcome> => {
    const { op, id, matchBy, onlyIf: condition, data, newId } = operation;
    const target = targets[op] as Endpoint;
    if (op === "create" && existing.has(newId)) return { op, propose: alreadyCreated };
    if (id !== undefined && written.has(id.toLowerCase())) return { error: twiceInBatch(kind) };
    try {
      const query: Record<string, string> = {};
      if (matchBy !== undefined) query.matchBy = matchBy;
      if (condition !== undefined) query.onlyIf = condition;
      const { caller, rate } = call;
      const request = { caller, rate, params: id === undefined ? {} : { id }, query, body: data };
      const ids = newId === undefined ? {} : { newId: () => newId };
      const propose = toProposal(await runWithoutCommit(target, request, { ...context, storage, ...ids }));
      const { body, writes } = propose(now, now);
      if (body instanceof RawJson && !hasNewIds) countResponse(body.text);
      const writtenIds = writes.map(({ record }) => record.id);
      if (writtenIds.some((each) => written.has(each))) return { error: twiceInBatch(kind) };
      await storage.commit(caller.tenantId, now, (at) => propose(at, now).writes);
      for (const each of writtenIds) written.add(each);
      return { op, propose };
    } catch (error) {
      if (error instanceof WriteConflict && target.isRetryable?.(error, last)) return runOperation(operation, error);
      const apiError = toDuplicateError(error) ?? error;
      if (!(apiError instanceof ApiError) || apiError instanceof BatchTooLarge) throw error;
      countResponse(JSON.stringify(apiError));
      return { error: apiError };
    }
  };
  const outcomes: Outcome[] = [];
  const takeTurn = turnTaker(context.clock);
  for (const operation of operations) {
    await takeTurn();
    outcomes.push(await runOperation(operation));
  }
  const failures = outcomes.filter((outcome) => "error" in outcome).length;
  if (atomic && failures > 0) throw atomicError(outcomes, failures);
  return (at, committedAt) => proposeAll(outcomes, failures, at, committedAt, !hasNewIds);
}

/** The response to a repeated create: an earlier batch has created the record with this ID. */
const alreadyCreated = toProposal({ status: 200, headers: { "X-Upsert": "unchanged" } });

/** Returns the IDs of operations that records have, archived ones too. */
async function existingIds(kind: Kind, operations: readonly Operation[], tenantId: string, context: HandlerContext) {
  const ids = operations.flatMap(({ newId }) => newId ?? []);
  const query = { where: { ids }, includeArchived: true, limit: ids.length };
  const found = ids.length === 0 ? [] : await context.storage.list(tenantId, kind, query);
  return new Set<unknown>(found.map(({ id }) => id));
}

function twiceInBatch(kind: string): ApiError {
  const message = `An earlier operation of the batch has written this ${kind}. Send one operation per record.`;
  return new ApiError("conflict", message, { details: { reason: "twice_in_batch" } });
}

/** Maximum size of `details.items` as JSON. It keeps the error under 64 KiB. */
const maxItemsBytes = 60_000;

function atomicError(outcomes: readonly Outcome[], failures: number): ApiError {
  const failed = outcomes.flatMap((outcome, index) =>
    "error" in outcome ? [{ index, ...errorOf(outcome.error) }] : [],
  );
  const message = `${failures} of ${outcomes.length} operations failed. Nothing was written.`;
  const isTooLong = Buffer.byteLength(JSON.stringify(failed)) > maxItemsBytes;
  const items = isTooLong ? failed.map(({ error: { details: _, ...error }, ...item }) => ({ ...item, error })) : failed;
  return new ApiError("validation_error", message, { status: 422, details: { items } });
}

function errorOf(error: ApiError) {
  return { status: error.status, error: error.toJSON().error };
}

/** Returns the response and the writes of all operations that succeeded. */
function proposeAll(
  outcomes: readonly Outcome[],
  failures: number,
  at: number,
  now: number,
  hasData: boolean,
): ReturnType<Proposal> {
  const proposed = outcomes.map((each) => ("error" in each ? each : { op: each.op, ...each.propose(at, now) }));
  const items = proposed.map((item, index) => {
    if ("error" in item) return JSON.stringify({ index, ...errorOf(item.error) });
    const { op, status, headers, body, writes } = item;
    const result =
      op === "archive" ? "archived" : op === "create" ? "created" : writes.length > 0 ? "updated" : "unchanged";
    const start = JSON.stringify({ index, status, result: headers?.["X-Upsert"] ?? result });
    // The body is `{"data":…}`.
    return hasData && body instanceof RawJson ? `${start.slice(0, -1)},${body.text.slice(1)}` : start;
  });
  return {
    status: failures > 0 ? 207 : 200,
    body: new RawJson(`{"data":[${items.join(",")}]}`),
    writes: proposed.flatMap((item) => ("error" in item ? [] : item.writes)),
  };
}
