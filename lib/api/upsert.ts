import * as v from "valibot";
import { ApiError, type ValidationIssue, validationError } from "../model/errors.ts";
import type { Kind } from "../model/kinds.ts";
import type { FieldValues, Model } from "../model/model.ts";
import { capitalize, withArticle } from "../model/names.ts";
import { describe } from "../model/scalars.ts";
import { archivableSchema, upsertSchema } from "../model/schemas.ts";
import { uuidV8 } from "../model/uuid.ts";
import type { Query } from "../storage/storage.ts";
import {
  type Endpoint,
  type EndpointCall,
  endpoint,
  type HandlerContext,
  type HandlerResult,
  type Proposal,
} from "./endpoint.ts";
import { assertTenantIds, parseRequest, parseValidRequest } from "./endpoint-request.ts";
import type { StoredRecord } from "./resource-definition.ts";

/** The endpoints that an upsert calls. */
type Targets = { readonly create: Endpoint; readonly update: Endpoint };
type UpsertQuery = { readonly matchBy: string; readonly onlyIf?: "exists" | "absent" };

/** Returns the fields by which an upsert finds a record. */
export function matchFields({ fields }: Model): readonly string[] {
  const unique = Object.entries(fields).flatMap(([name, field]) => (field.unique === undefined ? [] : [name]));
  return [...(fields.externalId === undefined ? [] : ["externalId"]), ...unique];
}

export const onlyIfSchema = describe(
  v.picklist(["exists", "absent"]),
  "`exists` returns 404 instead of creating a record. `absent` returns 409 instead of updating one.",
);

/** Any JSON object. The endpoints that an upsert calls validate it. */
export const anyObject = v.record(v.string(), v.unknown());

/** Returns the endpoint that creates a record, or updates the one that has the same value in a field. */
export function upsertEndpoint(model: Model<Kind>, targets: Targets): Endpoint {
  const { kind, plural } = model;
  const { tag, scope, example, errors = [] } = targets.create;
  const fields = matchFields(model);
  const exampleField = fields.at(-1) as string;
  return endpoint({
    name: `upsert${tag.name.slice(0, -plural.length)}${capitalize(kind)}`,
    method: "POST",
    path: `/${plural}/upsert`,
    summary: `Create or update ${withArticle(kind)}`,
    description:
      `Updates the ${kind} that has the same value in the field \`matchBy\`, or creates one. Both follow the rules of the ` +
      "single requests: a new record needs its required fields, and an existing one keeps the fields that you omit. " +
      "Values are compared as for duplicates. Archived records don't match. Concurrent upserts with the same value " +
      "create one record. `X-Upsert` is `created`, `updated` or `unchanged`.",
    tag,
    ...(scope === undefined ? {} : { scope }),
    hasDryRun: true,
    query: {
      matchBy: describe(v.picklist(fields), "The field that identifies the record. The body must contain its value."),
      onlyIf: v.optional(onlyIfSchema),
    },
    body: anyObject,
    describedBody: upsertSchema(model),
    success: { status: 200, otherStatus: 201, data: archivableSchema(model) },
    hasETag: true,
    errors: [...new Set([...errors, "not_found" as const, "duplicate" as const, "conflict" as const])],
    example: {
      query: { matchBy: exampleField },
      body: { ...example?.body, ...(exampleField === "externalId" ? { externalId: "D-2031" } : {}) },
    },
    handle: (call, context) => upsert(model, targets, call as EndpointCall<UpsertQuery, FieldValues>, context),
    async findIssues(call, issues) {
      const { issues: bodyIssues } = parseRequest(targets.update, { ...toNestedCall(call, {}) });
      return [...issues, ...bodyIssues];
    },
    // A record that was created during the last attempt can match. One that conflicts again doesn't.
    isRetryable: ({ field, id }, last) => last?.field !== field || last.id !== id,
  });
}

async function upsert(
  model: Model<Kind>,
  { create, update }: Targets,
  call: EndpointCall<UpsertQuery, FieldValues>,
  context: HandlerContext,
): Promise<HandlerResult | Proposal> {
  const { storage } = context;
  const { tenantId } = call.caller;
  const { matchBy, onlyIf: condition } = call.query;
  const value = matchValue(update, call);
  // Derive the ID before reading the list. A record that is created in between has this ID or is in the list.
  const id = matchBy === "externalId" ? await deriveUnusedId(model.kind, value, tenantId, storage) : undefined;
  const query: Query = { where: { [matchBy]: value }, limit: maxIds };
  const matches: readonly StoredRecord[] = (await storage.list(tenantId, model.kind, query)) as never;
  const [match] = matches;
  if (matches.length > 1) throw ambiguousError(model.kind, matchBy, matches);
  if (match === undefined) {
    if (condition === "exists") throw new ApiError("not_found", `No ${model.kind} with this ${matchBy}.`);
    const newId = id === undefined ? context.newId : () => id;
    return withResult("created", await runWithoutCommit(create, toNestedCall(call, {}), { ...context, newId }));
  }
  if (condition === "absent") throw duplicateError(model.kind, matchBy, match.id);
  const result = await runWithoutCommit(update, toNestedCall(call, { id: match.id }), context);
  return withResult(typeof result === "function" ? "updated" : "unchanged", result);
}

/** Maximum number of IDs in the details of an ambiguous match. */
const maxIds = 100;

function ambiguousError(kind: string, field: string, matches: readonly StoredRecord[]): ApiError {
  const plural = kind === "opportunity" ? "opportunities" : `${kind}s`;
  const message = `Several ${plural} have this ${field}. Update one of them by its ID.`;
  return new ApiError("conflict", message, { details: { reason: "ambiguous", ids: matches.map(({ id }) => id) } });
}

function duplicateError(kind: string, field: string, existingId: string): ApiError {
  const message = `There is already ${withArticle(kind)} with this ${field}.`;
  return new ApiError("duplicate", message, { details: { existingId, field } });
}

/** Returns the request of another endpoint with the same body. */
function toNestedCall({ caller, body, rate }: EndpointCall, params: Readonly<Record<string, string>>) {
  return { caller, rate, params, query: {}, body: body as FieldValues };
}

/** Runs another endpoint without committing. @throws ApiError if the request has another tenant's ID or is malformed */
export async function runWithoutCommit(
  target: Endpoint,
  request: Parameters<typeof parseValidRequest>[1],
  context: HandlerContext,
): Promise<HandlerResult | Proposal> {
  assertTenantIds(target, request);
  return target.handle((await parseValidRequest(target, request, context)) as never, context);
}

/**
 * Returns the value of the field `matchBy` in the form in which it is stored.
 * @throws ApiError if the body has none
 */
function matchValue(update: Endpoint, call: EndpointCall<UpsertQuery, FieldValues>): string {
  const { matchBy } = call.query;
  const { call: parsed, issues } = parseRequest(update, toNestedCall(call, {}));
  const value = (parsed.body as FieldValues)[matchBy];
  if (typeof value === "string") return value;
  const path = `/${matchBy}`;
  if (issues.some(({ problem }) => problem.path === path)) throw validationError(issues);
  const message = `${matchBy} is required, because matchBy is ${matchBy}.`;
  const missing: ValidationIssue = { kind: "shape", problem: { path, code: "required", message } };
  throw validationError([missing, ...issues]);
}

/**
 * Returns the ID of a new record with this external ID. It is derived from the value, so that the storage rejects a
 * second record. If the ID belongs to a record that was archived or renamed, the next one is derived.
 */
async function deriveUnusedId(
  kind: Kind,
  value: string,
  tenantId: string,
  storage: HandlerContext["storage"],
): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    const id = uuidV8(JSON.stringify([tenantId, kind, "externalId", value, attempt]));
    if ((await storage.get(tenantId, kind, id)) === undefined) return id;
  }
}

type UpsertResult = "created" | "updated" | "unchanged";

function withResult(result: UpsertResult, response: HandlerResult | Proposal): HandlerResult | Proposal {
  const headers = { "X-Upsert": result };
  if (typeof response !== "function") return { ...response, headers: { ...response.headers, ...headers } };
  return (at, now) => {
    const proposed = response(at, now);
    return { ...proposed, headers: { ...proposed.headers, ...headers } };
  };
}
