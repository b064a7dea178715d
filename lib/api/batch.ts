import * as v from "valibot";
import { ApiError, type FieldError, validationError } from "../model/errors.ts";
import type { Kind } from "../model/kinds.ts";
import type { FieldValues, Model } from "../model/model.ts";
import { RawJson } from "../model/record-json.ts";
import { describe, jsonSchema, listOf, refine } from "../model/scalars.ts";
import { archivableSchema, upsertSchema } from "../model/schemas.ts";
import { cachedReads } from "../storage/cached-reads.ts";
import { overlayStorage } from "../storage/overlay.ts";
import {
  type Endpoint,
  type EndpointCall,
  endpoint,
  type HandlerContext,
  type HandlerResult,
  type Proposal,
} from "./endpoint.ts";
import { toDuplicateError } from "./run-endpoint.ts";
import { anyObject, matchFields, onlyIfSchema, runWithoutCommit } from "./upsert.ts";

type Op = "create" | "update" | "upsert" | "archive";
/** The endpoints that a batch calls. Kinds without a field to match have no upsert. */
type Targets = { readonly [O in Op]?: Endpoint };
type Operation = {
  readonly op: Op;
  readonly id?: string;
  readonly matchBy?: string;
  readonly onlyIf?: string;
  readonly data?: FieldValues;
};
type Batch = { readonly operations: readonly Operation[]; readonly atomic: boolean };

/** The result of one operation: its response, or the error that the single request would return. */
type Outcome = { readonly op: Op; readonly response: HandlerResult | Proposal } | { readonly error: ApiError };

const maxOperations = 100;

/** Returns the endpoint that runs up to 100 operations on records of one kind. */
export function batchEndpoint(model: Model<Kind>, targets: Targets): Endpoint {
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
      "with `409 conflict` and the reason `twice_in_batch`. The request takes one token of the rate limit.",
    tag,
    ...(scope === undefined ? {} : { scope }),
    hasDryRun: true,
    body: bodySchema(model, anyObject),
    describedBody: bodySchema(model, upsertSchema(model)),
    success: { status: 200, otherStatus: 207, data: itemSchema(model), collection: "list" },
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
    handle: (call, context) => runBatch(model, targets, call as unknown as EndpointCall<unknown, Batch>, context),
    // The operation that fails then sees the record that has the value.
    isRetryable: () => true,
  });
}

function bodySchema(model: Model<Kind>, data: v.GenericSchema) {
  const fields = matchFields(model);
  const ops: Op[] = fields.length === 0 ? ["create", "update", "archive"] : ["create", "update", "upsert", "archive"];
  const matching = {
    matchBy: v.optional(describe(v.picklist(fields), "The field by which an upsert finds the record.")),
    onlyIf: v.optional(onlyIfSchema),
  };
  const entries: Readonly<Record<string, v.GenericSchema>> = {
    op: describe(v.picklist(ops), "The kind of operation."),
    id: v.optional(describe(v.string("must be a string"), "ID of the record to update or archive.")),
    ...(fields.length === 0 ? {} : matching),
    data: v.optional(data),
  };
  const description = "One operation of a batch.";
  const operation = v.pipe(v.strictObject(entries), jsonSchema({ title: `${nameOf(model)}Operation`, description }));
  const operations = v.pipe(
    listOf(operation, maxOperations, "must be a list"),
    jsonSchema({ minItems: 1 }),
    refine<Record<string, unknown>[]>("out_of_range", ({ length }) => length > 0, "must have at least one entry"),
  );
  const atomic = describe(v.boolean("must be true or false"), "Whether a failure prevents all writes. Default: false.");
  return v.pipe(
    v.strictObject({
      operations: describe(operations, "The operations, in order."),
      atomic: v.optional(atomic, false),
    }),
    jsonSchema({ title: `${nameOf(model)}Batch`, description: "The operations of a batch." }),
  );
}

function itemSchema(model: Model<Kind>): v.GenericSchema {
  const error = v.strictObject({
    code: describe(v.string(), "The error code."),
    message: describe(v.string(), "The problem."),
    details: v.optional(describe(anyObject, "More about the problem, such as `errors`.")),
  });
  return v.pipe(
    v.strictObject({
      index: describe(v.pipe(v.number(), v.integer()), "Position of the operation in the request, from 0."),
      status: describe(v.pipe(v.number(), v.integer()), "Status of the single request."),
      result: v.optional(
        describe(v.picklist(["created", "updated", "unchanged", "archived"]), "Present if the operation succeeded."),
      ),
      data: v.optional(archivableSchema(model)),
      error: v.optional(v.pipe(error, jsonSchema({ title: "BatchError", description: "Present if it failed." }))),
    }),
    jsonSchema({ title: `${nameOf(model)}BatchItem`, description: "The result of one operation." }),
  );
}

async function runBatch(
  { kind }: Model<Kind>,
  targets: Targets,
  call: EndpointCall<unknown, Batch>,
  context: HandlerContext,
): Promise<HandlerResult | Proposal> {
  const { operations, atomic } = call.body;
  assertMembers(operations);
  const storage = overlayStorage(cachedReads(context.storage, kind));
  const now = context.clock.now();
  const written = new Set<string>();
  const runOperation = async (operation: Operation): Promise<Outcome> => {
    const { op, id, matchBy, onlyIf: condition, data } = operation;
    if (id !== undefined && written.has(id.toLowerCase())) return { error: twiceInBatch(kind) };
    try {
      const query: Record<string, string> = {};
      if (matchBy !== undefined) query.matchBy = matchBy;
      if (condition !== undefined) query.onlyIf = condition;
      const { caller, rate } = call;
      const request = { caller, rate, params: id === undefined ? {} : { id }, query, body: data };
      const response = await runWithoutCommit(targets[op] as Endpoint, request, { ...context, storage });
      if (typeof response !== "function") return { op, response };
      const ids = response(now, now).writes.map(({ record }) => record.id);
      if (ids.some((each) => written.has(each))) return { error: twiceInBatch(kind) };
      await storage.commit(caller.tenantId, now, (at) => response(at, now).writes);
      for (const each of ids) written.add(each);
      return { op, response };
    } catch (error) {
      const apiError = toDuplicateError(error) ?? error;
      if (apiError instanceof ApiError) return { error: apiError };
      throw error;
    }
  };
  const outcomes: Outcome[] = [];
  for (const operation of operations) outcomes.push(await runOperation(operation));
  const failures = outcomes.filter((outcome) => "error" in outcome).length;
  if (atomic && failures > 0) throw atomicError(outcomes, failures);
  return (at, committedAt) => propose(outcomes, failures, at, committedAt);
}

/** Members that each operation needs, and those that it may have as well. */
const members: Readonly<Record<Op, { readonly required: readonly string[]; readonly optional: readonly string[] }>> = {
  create: { required: ["data"], optional: [] },
  update: { required: ["id", "data"], optional: [] },
  upsert: { required: ["matchBy", "data"], optional: ["onlyIf"] },
  archive: { required: ["id"], optional: [] },
};

/** @throws ApiError 400 with all operations that lack a member or have one of another operation */
function assertMembers(operations: readonly Operation[]): void {
  const problems = operations.flatMap((operation, index) => {
    const { required, optional } = members[operation.op];
    const problem = (name: string, code: FieldError["code"], text: string): FieldError => ({
      path: `/operations/${index}/${name}`,
      code,
      message: `operations.${index}.${name} ${text} if op is ${operation.op}.`,
    });
    const missing = required
      .filter((name) => !(name in operation))
      .map((name) => problem(name, "required", "is required"));
    const allowed = ["op", ...required, ...optional];
    const extra = Object.keys(operation).filter((name) => !allowed.includes(name));
    return [...missing, ...extra.map((name) => problem(name, "unknown_key", "isn't allowed"))];
  });
  if (problems.length > 0) throw validationError(problems.map((problem) => ({ kind: "shape", problem })));
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
function propose(outcomes: readonly Outcome[], failures: number, at: number, now: number): ReturnType<Proposal> {
  const proposed = outcomes.map((outcome) => {
    if ("error" in outcome) return outcome;
    const { op, response } = outcome;
    return { op, ...(typeof response === "function" ? response(at, now) : { ...response, writes: [] }) };
  });
  const items = proposed.map((item, index) => {
    if ("error" in item) return JSON.stringify({ index, ...errorOf(item.error) });
    const { op, status, headers, body, writes } = item;
    const result =
      op === "archive" ? "archived" : op === "create" ? "created" : writes.length > 0 ? "updated" : "unchanged";
    const start = JSON.stringify({ index, status, result: headers?.["X-Upsert"] ?? result });
    // The body is `{"data":…}`.
    return body instanceof RawJson ? `${start.slice(0, -1)},${body.text.slice(1)}` : start;
  });
  return {
    status: failures > 0 ? 207 : 200,
    body: new RawJson(`{"data":[${items.join(",")}]}`),
    writes: proposed.flatMap((item) => ("error" in item ? [] : item.writes)),
  };
}

function nameOf({ kind }: Model): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}
