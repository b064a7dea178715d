import * as v from "valibot";
import type { ErrorCode } from "../model/errors.ts";
import type { Scope } from "../model/integration.ts";
import type { FieldValues } from "../model/model.ts";
import { camelCase, capitalize, displayName, withArticle } from "../model/names.ts";
import { recordToDataJson, wrapData } from "../model/record-json.ts";
import { createSchema, updateSchema } from "../model/schemas.ts";
import { hasCreationIndex } from "../storage/sort.ts";
import type { Write } from "../storage/storage.ts";
import { assertIfMatch, assertUpdatedAtMatches } from "./conditional-requests.ts";
import {
  type Endpoint,
  type EndpointCall,
  endpoint,
  type HandlerContext,
  type Proposal,
  type Tag,
} from "./endpoint.ts";
import { eventSchema } from "./event-feed.ts";
import { historyQuery, listHistory } from "./event-history.ts";
import { includeArchivedParameter, listPage, listQuery } from "./list-endpoint.ts";
import { orderErrors, orderParameter } from "./list-order.ts";
import { findIssues, prepareRecord } from "./prepare-record.ts";
import { getRecord, requireRecord, requireRecordJson } from "./require-record.ts";
import type { ResourceDefinition, StoredRecord } from "./resource-definition.ts";
import { deepEqual } from "./rules/record-diff.ts";
import { updateWrite } from "./update-write.ts";

/** Error codes in addition to those that follow from method, path, access and schemas. */
export type RecordErrors = Readonly<Record<"create" | "update" | "archive" | "restore", readonly ErrorCode[]>>;

/** The differences between the endpoints of integrations and those of the set-up API. */
export type RecordEndpoints = {
  readonly path: string;
  readonly tag: Tag;
  /** The schema of a record in a response. */
  readonly data: v.GenericSchema;
  readonly errors: RecordErrors;
  readonly access: (permission: "read" | "write") => { readonly scope: Scope } | { readonly access: "admin" };
  /** Returns the name of an operation. */
  readonly nameOf: (operation: string) => string;
  /** Whether the list can wait for records. */
  readonly canWait?: true;
  /** Parameters of the list besides its filters and `order`. */
  readonly parameters?: Readonly<Record<string, v.GenericSchema>>;
};

/** Returns the endpoints that read and write records one by one: list, create, get, update, archive and restore. */
export function records<Related>(
  definition: ResourceDefinition<Related>,
  { path, tag, data, errors, access, nameOf, parameters = {}, ...waiting }: RecordEndpoints,
): readonly Endpoint[] {
  const { model, filters, example } = definition;
  const { kind, plural } = model;
  const [noun, nouns] = [displayName(kind), plural.replaceAll("_", " ")];
  const [name, names] = [capitalize(kind), capitalize(camelCase(plural))];
  const [query, params] = [listQuery({ ...filters, order: orderParameter(model), ...parameters }), { id: example.id }];
  return [
    endpoint({
      name: nameOf(`list${names}`),
      method: "GET",
      path,
      summary: `List ${nouns}`,
      description:
        `Returns a page of ${nouns} sorted by \`updatedAt\`, then \`id\`, or by \`order\`. Pass \`nextCursor\` as \`cursor\` to get the ` +
        "next page. To sync incrementally, store `X-Next-Updated-Since` after you process each page and send it as " +
        "`updatedSince` next time. Don't sync with filters: you don't see records that no longer match. Other orders have no " +
        "`X-Next-Updated-Since` and no `Link`. They sort up to 5,000 records; more return 422." +
        (hasCreationIndex(kind) ? " Only `createdAt` without filters has no such limit." : ""),
      tag,
      ...access("read"),
      query,
      success: { status: 200, data, collection: "page" },
      errors: orderErrors(filters),
      ...waiting,
      example: { query: { limit: "2", updatedSince: "2026-03-01T00:00:00Z" } },
      handle: (call, context) => listPage(kind, nameOf(`list${names}`), query, call, context),
    }),
    endpoint({
      name: nameOf(`create${name}`),
      method: "POST",
      path,
      summary: `Create ${withArticle(noun)}`,
      description:
        `Creates ${withArticle(noun)}. Send an \`Idempotency-Key\` to retry safely. The response lists all errors at ` +
        "once: malformed input (400), references, required fields and custom fields (422).",
      tag,
      ...access("write"),
      hasDryRun: true,
      body: createSchema(model),
      success: { status: 201, data },
      hasETag: true,
      errors: errors.create,
      example: { body: example.create },
      handle: (call, context) => create(definition, path, call, context),
      findIssues: (call, issues, context) => findIssues(definition, undefined, call, context, issues),
    }),
    endpoint({
      name: nameOf(`get${name}`),
      method: "GET",
      path: `${path}/:id`,
      summary: `Retrieve ${withArticle(noun)}`,
      description: `Returns 404 if the ${noun} is archived, unless \`includeArchived\` is \`true\`.`,
      tag,
      ...access("read"),
      query: { includeArchived: v.optional(includeArchivedParameter(`Whether to return an archived ${noun}.`)) },
      success: { status: 200, data },
      hasETag: true,
      example: { params },
      handle: async (call, context) => {
        const json = await requireRecordJson(model, call, context, call.query.includeArchived === true);
        return { status: 200, body: wrapData(json) };
      },
    }),
    endpoint({
      name: nameOf(`update${name}`),
      method: "PATCH",
      path: `${path}/:id`,
      summary: `Update ${withArticle(noun)}`,
      description:
        "Updates the given fields. Omitted fields keep their value, and `null` clears a field. Arrays and objects are " +
        "replaced; `customFields` is merged by key. An update that changes nothing keeps `updatedAt`. An `updatedAt` that " +
        "isn't the record's returns 409, so that sending back an old record doesn't undo the changes of others.",
      tag,
      ...access("write"),
      hasDryRun: true,
      body: updateSchema(model),
      success: { status: 200, data },
      hasETag: true,
      errors: errors.update,
      example: { params, body: example.update },
      handle: (call, context) => update(definition, call, context),
      async findIssues(call, issues, context) {
        const before = await getRecord(model, call, context);
        return before?.archivedAt === null ? findIssues(definition, before, call, context, issues) : issues;
      },
    }),
    endpoint({
      name: nameOf(`archive${name}`),
      method: "DELETE",
      path: `${path}/:id`,
      summary: `Archive ${withArticle(noun)}`,
      description:
        `Archives ${withArticle(noun)}. Archived records are excluded from lists, return 404 and can't be referenced by ` +
        "other records. Existing references remain. Use restore to undo.",
      tag,
      ...access("write"),
      hasDryRun: true,
      success: { status: 204 },
      hasETag: true,
      errors: errors.archive,
      example: { params },
      handle: async (call, context) => {
        const before = await requireRecord(model, call, context);
        assertIfMatch(call.ifMatch, kind, before.updatedAt);
        await definition.assertChange?.(undefined, before, call.caller.tenantId, context);
        return (at, now) => ({ status: 204, writes: [updateWrite(kind, before, { ...before, archivedAt: now }, at)] });
      },
    }),
    endpoint({
      name: nameOf(`restore${name}`),
      method: "POST",
      path: `${path}/:id/restore`,
      summary: `Restore ${withArticle(noun)}`,
      description:
        `Restores an archived ${noun}. The body can change fields at the same time, as an update does. Without a body, ` +
        `restoring ${withArticle(noun)} that isn't archived has no effect.`,
      tag,
      ...access("write"),
      hasDryRun: true,
      body: v.optional(updateSchema(model), {}),
      success: { status: 200, data },
      hasETag: true,
      errors: errors.restore,
      example: { params },
      handle: (call, context) => restore(definition, call, context),
      async findIssues(call, issues, context) {
        const before = await getRecord(model, call, context);
        return before === undefined ? issues : findIssues(definition, before, call, context, issues);
      },
    }),
    endpoint({
      name: nameOf(`list${name}History`),
      method: "GET",
      path: `${path}/:id/history`,
      summary: `List what happened to ${withArticle(noun)}`,
      description: `Returns the events of the ${noun}, newest first, also if it is archived. Old events are deleted.`,
      tag,
      ...access("read"),
      query: historyQuery,
      success: { status: 200, data: eventSchema, collection: "history" },
      example: { params },
      handle: async (call, context) =>
        listHistory(model.kind, await requireRecord(model, call, context, true), call, context),
    }),
  ];
}

async function create<Related>(
  definition: ResourceDefinition<Related>,
  path: string,
  call: EndpointCall,
  context: HandlerContext,
): Promise<Proposal> {
  const { model } = definition;
  const values = await prepareRecord(definition, undefined, call, context);
  await definition.assertChange?.(values, undefined, call.caller.tenantId, context);
  const id = context.newId();
  return (at, now) => {
    const stamps = definition.stampFields?.(values, undefined, now) ?? {};
    const record = { id, ...values, ...stamps, createdAt: now, updatedAt: at, archivedAt: null };
    const insert = { op: "insert", kind: model.kind, record } as unknown as Write;
    return { status: 201, location: `${path}/${id}`, body: recordToDataJson(model, record), writes: [insert] };
  };
}

async function update<Related>(definition: ResourceDefinition<Related>, call: EndpointCall, context: HandlerContext) {
  const { model } = definition;
  const before = await requireRecord(model, call, context);
  assertIfMatch(call.ifMatch, model.kind, before.updatedAt);
  assertUpdatedAtMatches((call.body as FieldValues).updatedAt, model.kind, before.updatedAt);
  const after = await prepareRecord(definition, before, call, context);
  if (deepEqual(after, before)) return { status: 200, body: recordToDataJson(model, before) };
  await definition.assertChange?.(after, before, call.caller.tenantId, context);
  return replace(definition, before, after);
}

async function restore<Related>(definition: ResourceDefinition<Related>, call: EndpointCall, context: HandlerContext) {
  const { model } = definition;
  const before = await requireRecord(model, call, context, true);
  assertUpdatedAtMatches((call.body as FieldValues).updatedAt, model.kind, before.updatedAt);
  // Host rules check changes of fields only.
  const isChange = Object.keys(call.body as FieldValues).length > 0;
  const checks = isChange ? context : { ...context, rules: {} };
  const after = { ...(await prepareRecord(definition, before, call, checks)), archivedAt: null };
  if (deepEqual(after, before)) return { status: 200, body: recordToDataJson(model, before) };
  await definition.assertChange?.(after, before, call.caller.tenantId, context);
  return replace(definition, before, after);
}

function replace<Related>(definition: ResourceDefinition<Related>, before: StoredRecord, after: FieldValues): Proposal {
  const { model } = definition;
  return (at, now) => {
    const record = { ...before, ...after, ...definition.stampFields?.(after, before, now) };
    const write = updateWrite(model.kind, before, record, at);
    return { status: 200, body: recordToDataJson(model, write.record), writes: [write] };
  };
}
