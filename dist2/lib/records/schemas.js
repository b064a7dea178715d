import * as v from "valibot";
import { instant, means, must, said, uuid } from "../input/scalars.js";
const refused = v.optional(v.pipe(v.unknown(), means({ not: {} }), must("read_only", () => false, "is set by the service; leave it out")));
/** What the service sets in every record. */
const stamps = {
    id: said(uuid, "Given by the service, once and for ever."),
    createdAt: said(instant, "When it was made."),
    updatedAt: said(instant, "When it was last changed. Lists are in this order."),
};
const archivedAt = said(instant, "Since when it is archived. Only archived records have it, and only lists with includeArchived show them.");
/** The body of a POST that creates: what is required, what may be said, and what only the service sets. */
export function createSchema(model) {
    const entries = {};
    for (const [name, field, schema] of visible(model)) {
        if (field.readOnly === true)
            entries[name] = refused;
        else if (field.required === true)
            entries[name] = schema;
        else
            entries[name] = v.optional("default" in field ? v.pipe(schema, means({ default: field.default })) : schema);
    }
    for (const name of [...Object.keys(stamps), "archivedAt"])
        entries[name] = refused;
    const description = `A new ${model.kind}. What is left out gets its default, or null.`;
    return v.pipe(v.strictObject(entries), means({ title: `${nameOf(model)}Create`, description }));
}
/** The body of a PATCH: any field, read-only ones too (whether they are unchanged is seen later). */
export function patchSchema(model) {
    const entries = {};
    for (const [name, field, schema] of visible(model)) {
        entries[name] = v.optional(field.readOnly === true ? unchanged(schema) : schema);
    }
    for (const [name, schema] of Object.entries(stamps))
        entries[name] = v.optional(unchanged(schema));
    entries.archivedAt = v.optional(unchanged(v.nullable(archivedAt)));
    const description = `Changes of the ${model.kind}. What is not named stays; what the service sets may come back as it was.`;
    return v.pipe(v.strictObject(entries), means({ title: `${nameOf(model)}Update`, description }));
}
/** A record as answers show it (`present` makes it), with what else stands in it. */
export function recordSchema(model, more = {}) {
    return v.pipe(v.strictObject({ ...shownFields(model), ...more }), means({ title: nameOf(model), description: model.words?.about }));
}
/** A record of a kind that can be archived. */
export function archivableSchema(model) {
    return recordSchema(model, { archivedAt: v.optional(archivedAt) });
}
/** The id, the fields and the times as answers show them, all or those named. */
export function shownFields(model, ...names) {
    const fields = visible(model).map(([name, , schema]) => [name, schema]);
    const { id, ...times } = stamps;
    const all = Object.entries({ id: id, ...Object.fromEntries(fields), ...times });
    const shown = names.length === 0 ? all : all.filter(([name]) => names.includes(name));
    return Object.fromEntries(shown);
}
/** The body of a POST that takes nothing. */
export const emptyBody = v.optional(v.strictObject({}), {});
/** A record of a tenant file: every field, times and id too; what is left out gets its default. */
export function entrySchema(model, more = {}) {
    const entries = { id: v.optional(uuid) };
    for (const [name, field, schema] of visible(model)) {
        entries[name] = field.required === true ? schema : v.optional(schema);
    }
    const times = {
        createdAt: v.optional(instant),
        updatedAt: v.optional(instant),
        archivedAt: v.optional(v.nullable(instant)),
    };
    return v.strictObject({ ...entries, ...times, ...more });
}
/** The fields that are shown, each with its schema and what is said of it. */
function visible({ fields, words }) {
    return Object.entries(fields).flatMap(([name, field]) => {
        if (field.hidden === true)
            return [];
        const description = words?.fields[name];
        return [[name, field, description === undefined ? field.schema : said(field.schema, description)]];
    });
}
function unchanged(schema) {
    return v.pipe(schema, means({ readOnly: true }));
}
/** What the kind is called where types have names. */
function nameOf({ kind }) {
    return kind.charAt(0).toUpperCase() + kind.slice(1);
}
