import { assertIfMatch } from "./conditional-requests.js";
import { draft } from "./draft.js";
import { endpoint } from "./endpoint.js";
import { ApiError } from "./errors.js";
import { isUuid } from "./input/scalars.js";
import { listQuery, page } from "./list.js";
import { dataJson, dataOf, presentJson } from "./records/json.js";
import { archivableSchema, createSchema, emptyBody, patchSchema } from "./records/schemas.js";
import { same } from "./rules/change.js";
/** The standard endpoints of a resource: list, create, get, update, archive, restore. */
export function resource(declared) {
    const { model, filters, example } = declared;
    const { kind, plural } = model;
    const [name, names] = [capital(kind), capital(plural)];
    const path = `/${plural}`;
    const read = `${plural}:read`;
    const write = `${plural}:write`;
    const query = listQuery(filters);
    const data = archivableSchema(model);
    const tag = { name: names, description: model.words?.about ?? "" };
    const errors = errorsOf(declared);
    const params = { id: example.id };
    return [
        endpoint({
            name: `list${names}`,
            method: "GET",
            path,
            summary: `List ${plural}`,
            description: "In the order in which they were last changed (updatedAt, then id), the oldest change first. Walk on with cursor " +
                "until nextCursor is null. To stay in sync, store X-Next-Updated-Since once a page has been processed, and send it " +
                "as updatedSince the next time; a record that is changed during a walk is met again at its end. With a filter, " +
                "you do not hear that a record has left it: sync without filters.",
            tag,
            scope: read,
            query,
            success: { status: 200, data, many: "page" },
            example: { query: { limit: "2", updatedSince: "2026-03-01T00:00:00Z" } },
            handle: (call, context) => page(kind, `list${names}`, query, call, context),
        }),
        endpoint({
            name: `create${name}`,
            method: "POST",
            path,
            summary: `Create ${article(kind)}`,
            description: "Send an Idempotency-Key, and repeating the request after a timeout or a 500 makes nothing twice. Everything that " +
                "is wrong is named at once: first what has the wrong shape (400), then references, what the tenant requires and " +
                "custom fields (422).",
            tag,
            scope: write,
            body: createSchema(model),
            success: { status: 201, data },
            hasETag: true,
            errors: errors.create,
            example: { body: example.create },
            handle: (call, context) => create(declared, call, context),
        }),
        endpoint({
            name: `get${name}`,
            method: "GET",
            path: `${path}/:id`,
            summary: `Read ${article(kind)}`,
            description: `An archived ${kind} is not found here; lists show it with includeArchived.`,
            tag,
            scope: read,
            success: { status: 200, data },
            hasETag: true,
            example: { params },
            handle: async (call, context) => {
                return { status: 200, body: dataOf(await shown(model, call, context)) };
            },
        }),
        endpoint({
            name: `update${name}`,
            method: "PATCH",
            path: `${path}/:id`,
            summary: `Change some fields of ${article(kind)}`,
            description: "What is not named stays as it is, and null clears. Lists and objects are replaced whole, but for customFields, " +
                "which merges key by key. A change that changes nothing does not move updatedAt.",
            tag,
            scope: write,
            body: patchSchema(model),
            success: { status: 200, data },
            hasETag: true,
            errors: errors.update,
            example: { params, body: example.update },
            handle: (call, context) => update(declared, call, context),
        }),
        endpoint({
            name: `archive${name}`,
            method: "DELETE",
            path: `${path}/:id`,
            summary: `Archive ${article(kind)}`,
            description: "It is left out of lists, not found by its id, and can no longer be referred to. What refers to it already keeps " +
                "doing so. It can be restored.",
            tag,
            scope: write,
            success: { status: 204 },
            hasETag: true,
            example: { params },
            handle: async (call, context) => {
                const before = await findRecord(model, call, context);
                assertIfMatch(call.ifMatch, kind, before.updatedAt);
                return (at) => ({ status: 204, writes: [replacement(kind, before, { ...before, archivedAt: at }, at)] });
            },
        }),
        endpoint({
            name: `restore${name}`,
            method: "POST",
            path: `${path}/:id/restore`,
            summary: `Take ${article(kind)} out of the archive`,
            description: "One that is not archived is answered as it is, and nothing changes.",
            tag,
            scope: write,
            body: emptyBody,
            success: { status: 200, data },
            hasETag: true,
            errors: errors.restore,
            example: { params },
            handle: (call, context) => restore(declared, call, context),
        }),
    ];
}
/** What can be refused, as the model and the declaration tell. */
function errorsOf({ model, conflictOf, createErrors = [] }) {
    const fields = Object.entries(model.fields);
    const taken = fields.some(([, { unique }]) => unique !== undefined) ? ["duplicate"] : [];
    const owner = model.fields.ownerId === undefined ? [] : ["tenant_without_admin"];
    const custom = ["unknown_custom_field", "invalid_custom_field"];
    const rules = ["validation_error", "invalid_reference", ...(model.fields.customFields ? custom : [])];
    return {
        create: [...createErrors, ...taken, ...owner, ...rules],
        update: [...(conflictOf === undefined ? [] : ["conflict"]), ...taken, ...rules],
        restore: taken,
    };
}
async function create(declared, call, context) {
    const { model } = declared;
    const values = await draft(declared, undefined, call, context);
    const id = context.newId();
    return (at) => {
        const settled = declared.settle?.(values, undefined, at) ?? {};
        const record = { id, ...values, ...settled, createdAt: at, updatedAt: at, archivedAt: null };
        const insert = { op: "insert", kind: model.kind, record };
        return {
            status: 201,
            location: `/${model.plural}/${id}`,
            body: dataJson(model, record),
            writes: [insert],
        };
    };
}
async function update(declared, call, context) {
    const { model } = declared;
    const before = await findRecord(model, call, context);
    assertIfMatch(call.ifMatch, model.kind, before.updatedAt);
    const after = await draft(declared, before, call, context);
    if (same(after, before))
        return { status: 200, body: dataJson(model, before) };
    return replace(declared, before, after);
}
async function restore(declared, call, context) {
    const before = await findRecord(declared.model, call, context, true);
    if (before.archivedAt === null)
        return { status: 200, body: dataJson(declared.model, before) };
    return replace(declared, before, { ...before, archivedAt: null });
}
function replace(declared, before, after) {
    const { model } = declared;
    return (at) => {
        const record = { ...before, ...after, ...declared.settle?.(after, before, at) };
        const write = replacement(model.kind, before, record, at);
        return { status: 200, body: dataJson(model, write.record), writes: [write] };
    };
}
function replacement(kind, before, after, at) {
    return { op: "update", kind, record: { ...after, updatedAt: at }, was: before.updatedAt };
}
/** The JSON of the record that the path names. @throws ApiError 404 */
async function shown(model, call, context) {
    const { storage } = context;
    if (storage.getJson === undefined)
        return presentJson(model, await findRecord(model, call, context));
    const id = idOf(call);
    const json = id === undefined ? undefined : await storage.getJson(call.caller.tenantId, model.kind, id);
    if (json === undefined)
        throw notFound(model);
    return json;
}
/**
 * The record that the path names.
 * @throws ApiError 404, the same whether the id is unknown, malformed, archived or another tenant's
 */
export async function findRecord(model, call, { storage }, archived = false) {
    const id = idOf(call);
    const record = id === undefined ? undefined : await storage.get(call.caller.tenantId, model.kind, id);
    if (record === undefined || (record.archivedAt !== null && !archived)) {
        throw notFound(model);
    }
    return record;
}
/** The id in the path as it is kept; undefined where nothing can have it. */
function idOf({ params: { id = "" } }) {
    return isUuid(id) ? id.toLowerCase() : undefined;
}
function notFound({ kind }) {
    return new ApiError("not_found", `There is no ${wordsOf(kind)} with this id.`);
}
/** `apiKey` as people say it. */
function wordsOf(kind) {
    return kind === "apiKey" ? "API key" : kind;
}
function capital(word) {
    return word.charAt(0).toUpperCase() + word.slice(1);
}
function article(kind) {
    return /^[aeio]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}
