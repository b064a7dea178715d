import { ApiError, type ErrorCode } from "../model/errors.ts";
import type { Scope } from "../model/integration.ts";
import { dataJson, toJsonText, wrapData } from "../model/json.ts";
import type { Kind } from "../model/kinds.ts";
import type { FieldValues, Model } from "../model/model.ts";
import { isUuid } from "../model/scalars.ts";
import { archivableSchema, createSchema, emptyBody, updateSchema } from "../model/schemas.ts";
import type { Write } from "../storage/storage.ts";
import { assertIfMatch } from "./conditional-requests.ts";
import { type Context, type Endpoint, type EndpointCall, endpoint, type Proposal } from "./endpoint.ts";
import { listPage, listQuery } from "./list-endpoint.ts";
import { prepareRecord, type ResourceDefinition, type StoredRecord } from "./prepare-record.ts";
import { deepEqual } from "./rules/record-diff.ts";

/** The standard endpoints of a resource: list, create, get, update, archive, restore. */
export function resource<Around>(definition: ResourceDefinition<Around>): readonly Endpoint[] {
  const { model, filters, example } = definition;
  const { kind, plural } = model;
  const [name, names] = [capitalize(kind), capitalize(plural)];
  const path = `/${plural}`;
  const read = `${plural}:read` as Scope;
  const write = `${plural}:write` as Scope;
  const query = listQuery(filters);
  const data = archivableSchema(model);
  const tag = { name: names, description: model.descriptions?.about ?? "" };
  const errors = errorsOf(definition);
  const params = { id: example.id };
  return [
    endpoint({
      name: `list${names}`,
      method: "GET",
      path,
      summary: `List ${plural}`,
      description:
        "In the order in which they were last changed (updatedAt, then id), the oldest change first. Walk on with cursor " +
        "until nextCursor is null. To stay in sync, store X-Next-Updated-Since once a page has been processed, and send it " +
        "as updatedSince the next time; a record that is changed during a walk is met again at its end. With a filter, " +
        "you do not hear that a record has left it: sync without filters.",
      tag,
      scope: read,
      query,
      success: { status: 200, data, collection: "page" },
      example: { query: { limit: "2", updatedSince: "2026-03-01T00:00:00Z" } },
      handle: (call, context) => listPage(kind, `list${names}`, query, call, context),
    }),
    endpoint({
      name: `create${name}`,
      method: "POST",
      path,
      summary: `Create ${withArticle(kind)}`,
      description:
        "Send an Idempotency-Key, and repeating the request after a timeout or a 500 makes nothing twice. Everything that " +
        "is wrong is named at once: first what has the wrong shape (400), then references, what the tenant requires and " +
        "custom fields (422).",
      tag,
      scope: write,
      body: createSchema(model),
      success: { status: 201, data },
      hasETag: true,
      errors: errors.create,
      example: { body: example.create },
      handle: (call, context) => create(definition, call, context),
    }),
    endpoint({
      name: `get${name}`,
      method: "GET",
      path: `${path}/:id`,
      summary: `Read ${withArticle(kind)}`,
      description: `An archived ${kind} is not found here; lists show it with includeArchived.`,
      tag,
      scope: read,
      success: { status: 200, data },
      hasETag: true,
      example: { params },
      handle: async (call, context) => {
        return { status: 200, body: wrapData(await findJson(model, call, context)) };
      },
    }),
    endpoint({
      name: `update${name}`,
      method: "PATCH",
      path: `${path}/:id`,
      summary: `Change some fields of ${withArticle(kind)}`,
      description:
        "What is not named stays as it is, and null clears. Lists and objects are replaced whole, but for customFields, " +
        "which merges key by key. A change that changes nothing does not move updatedAt.",
      tag,
      scope: write,
      body: updateSchema(model),
      success: { status: 200, data },
      hasETag: true,
      errors: errors.update,
      example: { params, body: example.update },
      handle: (call, context) => update(definition, call, context),
    }),
    endpoint({
      name: `archive${name}`,
      method: "DELETE",
      path: `${path}/:id`,
      summary: `Archive ${withArticle(kind)}`,
      description:
        "It is left out of lists, not found by its id, and can no longer be referred to. What refers to it already keeps " +
        "doing so. It can be restored.",
      tag,
      scope: write,
      success: { status: 204 },
      hasETag: true,
      example: { params },
      handle: async (call, context) => {
        const before = await findRecord(model, call, context);
        assertIfMatch(call.ifMatch, kind, before.updatedAt);
        return (at) => ({ status: 204, writes: [updateWrite(kind, before, { ...before, archivedAt: at }, at)] });
      },
    }),
    endpoint({
      name: `restore${name}`,
      method: "POST",
      path: `${path}/:id/restore`,
      summary: `Take ${withArticle(kind)} out of the archive`,
      description: "One that is not archived is answered as it is, and nothing changes.",
      tag,
      scope: write,
      body: emptyBody,
      success: { status: 200, data },
      hasETag: true,
      errors: errors.restore,
      example: { params },
      handle: (call, context) => restore(definition, call, context),
    }),
  ];
}

/** What can be refused, as the model and the declaration tell. */
function errorsOf<Around>({ model, checkTransition, createErrors = [] }: ResourceDefinition<Around>) {
  const fields = Object.entries(model.fields);
  const taken: ErrorCode[] = fields.some(([, { unique }]) => unique !== undefined) ? ["duplicate"] : [];
  const owner: ErrorCode[] = model.fields.ownerId === undefined ? [] : ["tenant_without_admin"];
  const custom: ErrorCode[] = ["unknown_custom_field", "invalid_custom_field"];
  const rules: ErrorCode[] = ["validation_error", "invalid_reference", ...(model.fields.customFields ? custom : [])];
  return {
    create: [...createErrors, ...taken, ...owner, ...rules],
    update: [...(checkTransition === undefined ? [] : (["conflict"] as const)), ...taken, ...rules],
    restore: taken,
  };
}

async function create<Around>(
  definition: ResourceDefinition<Around>,
  call: EndpointCall,
  context: Context,
): Promise<Proposal> {
  const { model } = definition;
  const values = await prepareRecord(definition, undefined, call, context);
  const id = context.newId();
  return (at) => {
    const settled = definition.stampFields?.(values, undefined, at) ?? {};
    const record = { id, ...values, ...settled, createdAt: at, updatedAt: at, archivedAt: null };
    const insert = { op: "insert", kind: model.kind, record } as unknown as Write;
    return {
      status: 201,
      location: `/${model.plural}/${id}`,
      body: dataJson(model, record),
      writes: [insert],
    };
  };
}

async function update<Around>(definition: ResourceDefinition<Around>, call: EndpointCall, context: Context) {
  const { model } = definition;
  const before = await findRecord(model, call, context);
  assertIfMatch(call.ifMatch, model.kind, before.updatedAt);
  const after = await prepareRecord(definition, before, call, context);
  if (deepEqual(after, before)) return { status: 200, body: dataJson(model, before) };
  return replace(definition, before, after);
}

async function restore<Around>(definition: ResourceDefinition<Around>, call: EndpointCall, context: Context) {
  const before = await findRecord(definition.model, call, context, true);
  if (before.archivedAt === null) return { status: 200, body: dataJson(definition.model, before) };
  return replace(definition, before, { ...before, archivedAt: null });
}

function replace<Around>(definition: ResourceDefinition<Around>, before: StoredRecord, after: FieldValues): Proposal {
  const { model } = definition;
  return (at) => {
    const record = { ...before, ...after, ...definition.stampFields?.(after, before, at) };
    const write = updateWrite(model.kind, before, record, at);
    return { status: 200, body: dataJson(model, write.record), writes: [write] };
  };
}

function updateWrite(kind: Kind, before: StoredRecord, after: StoredRecord, at: number): Write {
  return {
    op: "update",
    kind,
    record: { ...after, updatedAt: at },
    expectedUpdatedAt: before.updatedAt,
  } as unknown as Write;
}

/** The JSON of the record that the path names. @throws ApiError 404 */
async function findJson(model: Model<Kind>, call: EndpointCall, context: Context): Promise<string> {
  const { storage } = context;
  if (storage.getJson === undefined) return toJsonText(model, await findRecord(model, call, context));
  const id = idOf(call);
  const json = id === undefined ? undefined : await storage.getJson(call.caller.tenantId, model.kind, id);
  if (json === undefined) throw notFound(model);
  return json;
}

/**
 * The record that the path names.
 * @throws ApiError 404, the same whether the id is unknown, malformed, archived or another tenant's
 */
export async function findRecord(
  model: Model<Kind>,
  call: EndpointCall,
  { storage }: Context,
  archived = false,
): Promise<StoredRecord> {
  const id = idOf(call);
  const record = id === undefined ? undefined : await storage.get(call.caller.tenantId, model.kind, id);
  if (record === undefined || (record.archivedAt !== null && !archived)) {
    throw notFound(model);
  }
  return record as unknown as StoredRecord;
}

/** The id in the path as it is kept; undefined where nothing can have it. */
function idOf({ params: { id = "" } }: EndpointCall): string | undefined {
  return isUuid(id) ? id.toLowerCase() : undefined;
}

function notFound({ kind }: Model<Kind>): ApiError {
  return new ApiError("not_found", `There is no ${displayName(kind)} with this id.`);
}

/** `apiKey` as people say it. */
function displayName(kind: string): string {
  return kind === "apiKey" ? "API key" : kind;
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function withArticle(kind: string): string {
  return /^[aeio]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}
