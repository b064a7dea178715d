import { models } from "../records/kinds.js";
const stamps = ["createdAt", "updatedAt", "archivedAt"];
/** Every kind's table, derived from its model: schema.sql is held to the same columns by a test. */
export const tables = Object.fromEntries(Object.entries(models).map(([kind, model]) => [kind, tableOf(kind, model)]));
/** The names of all tables with a `tenant_id` that both databases have. Each table is listed before those it references. */
export const tenantTables = Object.values(tables)
    .reverse()
    .flatMap(({ kind, name, links }) => [
    ...links.map((link) => link.name),
    ...(kind === "tenant" ? ["tenant_clocks"] : []),
    name,
]);
/** `relatedToId` as SQL writes it. */
export function snakeCase(name) {
    return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
/** The values of a record in the order of `columnNames`. */
export function toRow(dialect, table, tenant, record) {
    const values = record;
    const uniques = table.uniques.map(({ field, fold }) => typeof values[field] === "string" ? fold(values[field]) : null);
    return [tenant, ...table.columns.map((column) => encode(dialect, column.type, valueAt(values, column))), ...uniques];
}
/** The columns that a row is written with. */
export function columnNames(table) {
    return ["tenant_id", ...table.columns.map(({ name }) => name), ...table.uniques.map(({ name }) => name)];
}
/** The number of columns of the primary key, `tenant_id` and `id`. A row starts with them. */
export const keyLength = 2;
/** A record from the row that `selection` reads, its values in that order. */
export function recordOf(table, row) {
    const { columns, links } = table;
    const record = {};
    for (let at = 0; at < columns.length; at++) {
        const { field, member, type } = columns[at];
        const value = decode(type, row[at]);
        if (member === undefined)
            record[field] = value;
        else if (value !== null)
            record[field] = { ...record[field], [member]: value };
        else
            record[field] ??= null;
    }
    for (let at = 0; at < links.length; at++) {
        record[links[at].field] = JSON.parse(row[columns.length + at]);
    }
    return record;
}
/** The same where the values have the names that `selection` gives them. */
export function fromRow(table, row) {
    return recordOf(table, [
        ...table.columns.map(({ name }) => row[name]),
        ...table.links.map(({ field }) => row[field]),
    ]);
}
/** The expressions after SELECT for a table under the alias `t`; what a list is ordered by may stand elsewhere. */
export function selection(dialect, table, lead = { id: "t.id", updatedAt: "t.updated_at" }) {
    const leads = { id: lead.id, updated_at: lead.updatedAt };
    const columns = table.columns.map(({ name }) => `${leads[name] ?? `t."${name}"`} AS "${name}"`);
    const links = table.links.map(({ field, name, owner, target }) => `(SELECT ${dialect.jsonList(`${target} ORDER BY position`)} FROM ${name} WHERE tenant_id = t.tenant_id AND ${owner} = t.id) AS "${field}"`);
    return [...columns, ...links].join(", ");
}
function tableOf(kind, model) {
    const fields = Object.entries(model.fields);
    const columns = fields.flatMap(([name, field]) => columnsOf(name, field));
    const links = fields
        .filter(([, field]) => field.column === "links")
        .map(([name]) => {
        const target = name.replace(/Ids$/, "");
        return { field: name, name: `${kind}_${target}s`, owner: `${kind}_id`, target: `${target}_id` };
    });
    const uniques = fields.flatMap(([name, { unique }]) => unique === undefined ? [] : [{ field: name, name: `${snakeCase(name)}_key`, fold: unique }]);
    const id = { name: "id", type: "text", field: "id" };
    const times = stamps.map((field) => ({ name: snakeCase(field), type: "instant", field }));
    return { kind, name: model.plural, columns: [id, ...columns, ...times], links, uniques };
}
function columnsOf(field, { column = "text" }) {
    if (column === "links")
        return [];
    if (typeof column === "string")
        return [{ name: snakeCase(field), type: column, field }];
    return Object.entries(column).map(([member, type]) => ({
        name: `${snakeCase(field)}_${snakeCase(member)}`,
        type,
        field,
        member,
    }));
}
function valueAt(values, { field, member }) {
    const value = values[field];
    return member === undefined ? value : (value?.[member] ?? null);
}
function encode(dialect, type, value) {
    if (value === undefined || value === null)
        return null;
    if (type === "boolean")
        return dialect.boolean(value === true);
    return type === "json" ? JSON.stringify(value) : value;
}
function decode(type, value) {
    if (value === null)
        return null;
    if (type === "boolean")
        return value === 1 || value === true;
    return type === "json" ? JSON.parse(value) : value;
}
