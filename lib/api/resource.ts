import * as v from "valibot";
import type { ErrorCode } from "../model/errors.ts";
import type { Scope } from "../model/integration.ts";
import type { FieldValues } from "../model/model.ts";
import { recordToDataJson, wrapData } from "../model/record-json.ts";
import { jsonSchema } from "../model/scalars.ts";
import { archivableSchema, createSchema, emptyBody, updateSchema } from "../model/schemas.ts";
import type { Write } from "../storage/storage.ts";
import { batchEndpoint } from "./batch.ts";
import { assertIfMatch, assertUpdatedAtMatches } from "./conditional-requests.ts";
import { type Endpoint, type EndpointCall, endpoint, type HandlerContext, type Proposal } from "./endpoint.ts";
import { includeArchivedParameter, listPage, listQuery } from "./list-endpoint.ts";
import { findIssues, prepareRecord, type ResourceDefinition, type StoredRecord } from "./prepare-record.ts";
import { displayName, getRecord, requireRecord, requireRecordJson } from "./require-record.ts";
import { deepEqual } from "./rules/record-diff.ts";
import { capitalize, operationName, pathOf, toSetUpEndpoint, updateWrite } from "./set-up-endpoint.ts";
import { matchFields, upsertEndpoint } from "./upsert.ts";

/** The standard endpoints of a resource: list, create, get, update, archive, restore, upsert and batch. */
export function resource<Related>(definition: ResourceDefinition<Related>): readonly Endpoint[] {
  const { model, filters, example, setUpTag } = definition;
  const { kind, plural } = model;
  const [noun, nouns] = [displayName(kind), plural.replaceAll("_", " ")];
  const [name, names] = [capitalize(kind), capitalize(camelCase(plural))];
  const path = pathOf(definition);
  const read = `${plural}:read` as Scope;
  const write = `${plural}:write` as Scope;
  const query = listQuery(filters);
  const schema = archivableSchema(model);
  // The public endpoints describe some of these kinds with other members.
  const data = setUpTag === undefined ? schema : v.pipe(schema, jsonSchema({ title: `Admin${name}` }));
  const tag = setUpTag ?? { name: names, description: model.descriptions?.about ?? "" };
  const errors = errorsOf(definition);
  const params = { id: example.id };
  const singleEndpoints = [
    endpoint({
      name: `list${names}`,
      method: "GET",
      path,
      summary: `List ${nouns}`,
      description:
        `Returns a page of ${nouns} sorted by \`updatedAt\`, then \`id\`. Pass \`nextCursor\` as \`cursor\` to get the ` +
        "next page. To sync incrementally, store `X-Next-Updated-Since` after you process each page and send it as " +
        "`updatedSince` next time. Don't sync with filters: you don't see records that no longer match.",
      tag,
      scope: read,
      query,
      success: { status: 200, data, collection: "page" },
      example: { query: { limit: "2", updatedSince: "2026-03-01T00:00:00Z" } },
      handle: (call, context) => listPage(kind, operationName(definition, `list${names}`), query, call, context),
    }),
    endpoint({
      name: `create${name}`,
      method: "POST",
      path,
      summary: `Create ${withArticle(noun)}`,
      description:
        `Creates ${withArticle(noun)}. Send an \`Idempotency-Key\` to retry safely. The response lists all errors at ` +
        "once: malformed input (400), references, required fields and custom fields (422).",
      tag,
      scope: write,
      hasDryRun: true,
      body: createSchema(model),
      success: { status: 201, data },
      hasETag: true,
      errors: errors.create,
      example: { body: example.create },
      handle: (call, context) => create(definition, call, context),
      findIssues: (call, issues, context) => findIssues(definition, undefined, call, context, issues),
    }),
    endpoint({
      name: `get${name}`,
      method: "GET",
      path: `${path}/:id`,
      summary: `Retrieve ${withArticle(noun)}`,
      description: `Returns 404 if the ${noun} is archived, unless \`includeArchived\` is \`true\`.`,
      tag,
      scope: read,
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
      name: `update${name}`,
      method: "PATCH",
      path: `${path}/:id`,
      summary: `Update ${withArticle(noun)}`,
      description:
        "Updates the given fields. Omitted fields keep their value, and `null` clears a field. Arrays and objects are " +
        "replaced; `customFields` is merged by key. An update that changes nothing keeps `updatedAt`. An `updatedAt` that " +
        "isn't the record's returns 409, so that sending back an old record doesn't undo the changes of others.",
      tag,
      scope: write,
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
      name: `archive${name}`,
      method: "DELETE",
      path: `${path}/:id`,
      summary: `Archive ${withArticle(noun)}`,
      description:
        `Archives ${withArticle(noun)}. Archived records are excluded from lists, return 404 and can't be referenced by ` +
        "other records. Existing references remain. Use restore to undo.",
      tag,
      scope: write,
      hasDryRun: true,
      success: { status: 204 },
      hasETag: true,
      errors: errors.archive,
      example: { params },
      handle: async (call, context) => {
        const before = await requireRecord(model, call, context);
        assertIfMatch(call.ifMatch, kind, before.updatedAt);
        await definition.assertChange?.(undefined, before, call.caller.tenantId, context.storage);
        return (at, now) => ({ status: 204, writes: [updateWrite(kind, before, { ...before, archivedAt: now }, at)] });
      },
    }),
    endpoint({
      name: `restore${name}`,
      method: "POST",
      path: `${path}/:id/restore`,
      summary: `Restore ${withArticle(noun)}`,
      description: `Restores an archived ${noun}. Restoring ${withArticle(noun)} that isn't archived has no effect.`,
      tag,
      scope: write,
      hasDryRun: true,
      body: emptyBody,
      success: { status: 200, data },
      hasETag: true,
      errors: errors.restore,
      example: { params },
      handle: (call, context) => restore(definition, call, context),
    }),
  ];
  if (setUpTag !== undefined) return singleEndpoints.map((each) => toSetUpEndpoint(definition, each));
  const target = (operation: string) => singleEndpoints.find((each) => each.name === `${operation}${name}`) as Endpoint;
  const targets = { create: target("create"), update: target("update"), archive: target("archive") };
  const upserts = matchFields(model).length === 0 ? [] : [upsertEndpoint(model, targets)];
  const [upsert] = upserts;
  return [
    ...singleEndpoints,
    ...upserts,
    batchEndpoint(model, upsert === undefined ? targets : { ...targets, upsert }),
  ];
}

/** Returns the error codes that follow from the model and the definition. */
function errorsOf<Related>({ model, createErrors = [], setUpErrors }: ResourceDefinition<Related>) {
  if (setUpErrors !== undefined) return setUpErrors;
  const fields = Object.entries(model.fields);
  const duplicate: ErrorCode[] = fields.some(([, { unique }]) => unique !== undefined) ? ["duplicate"] : [];
  const owner: ErrorCode[] = model.fields.ownerId === undefined ? [] : ["tenant_without_admin"];
  const custom: ErrorCode[] = ["unknown_custom_field", "invalid_custom_field"];
  const rules: ErrorCode[] = ["validation_error", "invalid_reference", ...(model.fields.customFields ? custom : [])];
  return {
    create: [...createErrors, ...duplicate, ...owner, ...rules],
    update: ["conflict" as const, ...duplicate, ...rules],
    archive: [],
    restore: duplicate,
  };
}

async function create<Related>(
  definition: ResourceDefinition<Related>,
  call: EndpointCall,
  context: HandlerContext,
): Promise<Proposal> {
  const { model } = definition;
  const values = await prepareRecord(definition, undefined, call, context);
  await definition.assertChange?.(values, undefined, call.caller.tenantId, context.storage);
  const id = context.newId();
  return (at, now) => {
    const stamps = definition.stampFields?.(values, undefined, now) ?? {};
    const record = { id, ...values, ...stamps, createdAt: now, updatedAt: at, archivedAt: null };
    const insert = { op: "insert", kind: model.kind, record } as unknown as Write;
    return {
      status: 201,
      location: `${pathOf(definition)}/${id}`,
      body: recordToDataJson(model, record),
      writes: [insert],
    };
  };
}

async function update<Related>(definition: ResourceDefinition<Related>, call: EndpointCall, context: HandlerContext) {
  const { model } = definition;
  const before = await requireRecord(model, call, context);
  assertIfMatch(call.ifMatch, model.kind, before.updatedAt);
  assertUpdatedAtMatches((call.body as FieldValues).updatedAt, model.kind, before.updatedAt);
  const after = await prepareRecord(definition, before, call, context);
  if (deepEqual(after, before)) return { status: 200, body: recordToDataJson(model, before) };
  await definition.assertChange?.(after, before, call.caller.tenantId, context.storage);
  return replace(definition, before, after);
}

async function restore<Related>(definition: ResourceDefinition<Related>, call: EndpointCall, context: HandlerContext) {
  const before = await requireRecord(definition.model, call, context, true);
  if (before.archivedAt === null) return { status: 200, body: recordToDataJson(definition.model, before) };
  await definition.assertChange?.(before, before, call.caller.tenantId, context.storage);
  return replace(definition, before, { ...before, archivedAt: null });
}

function replace<Related>(definition: ResourceDefinition<Related>, before: StoredRecord, after: FieldValues): Proposal {
  const { model } = definition;
  return (at, now) => {
    const record = { ...before, ...after, ...definition.stampFields?.(after, before, now) };
    const write = updateWrite(model.kind, before, record, at);
    return { status: 200, body: recordToDataJson(model, write.record), writes: [write] };
  };
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function withArticle(kind: string): string {
  return /^[aeio]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}
