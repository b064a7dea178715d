import { jsonOf, partsOf } from "../records/json.js";
import { models } from "../records/kinds.js";
import { timeText } from "../records/time.js";
import { tables } from "./table.js";
const plans = Object.fromEntries(Object.entries(tables).map(([kind, table]) => [kind, planOf(kind, table)]));
/**
 * What `presentJson` writes of the record in the row that `selection` reads, letter by letter: without the record, which
 * costs as much again.
 */
export function rowJson({ kind, columns }, row) {
    const [id, updatedAt, archivedAt] = [row[0], row[columns.length - 2], row[columns.length - 1]];
    let json = `{"id":${jsonOf(id)}`;
    for (const part of plans[kind])
        json += part.before + valueJson(part, row);
    const archived = archivedAt === null ? "" : `,"archivedAt":"${timeText(archivedAt)}"`;
    return { id, updatedAt, json: `${json}${archived}}` };
}
function valueJson({ at, type, members }, row) {
    if (members !== undefined)
        return objectJson(members, row);
    const value = row[at];
    if (value === null)
        return "null";
    if (type === "text")
        return jsonOf(value);
    if (type === "instant")
        return `"${timeText(value)}"`;
    if (type === "boolean")
        return value === 1 ? "true" : "false";
    // What is kept as JSON was written by the runtime, and would be written so again.
    return type === "json" || type === "links" ? value : JSON.stringify(value);
}
/** Null as a whole where each of its columns is. */
function objectJson(members, row) {
    let json = "";
    for (const member of members) {
        if (row[member.at] !== null)
            json += (json === "" ? "{" : ",") + member.before + valueJson(member, row);
    }
    return json === "" ? "null" : `${json}}`;
}
function planOf(kind, { columns, links }) {
    const partOf = (before, column) => ({
        before,
        at: columns.indexOf(column),
        type: column.type,
    });
    const fields = partsOf(models[kind]).map(({ name, before }) => {
        const link = links.findIndex(({ field }) => field === name);
        if (link >= 0)
            return { before, at: columns.length + link, type: "links" };
        const own = columns.filter(({ field }) => field === name);
        const [only] = own;
        if (only.member === undefined)
            return partOf(before, only);
        const members = own.map((column) => partOf(`${JSON.stringify(column.member)}:`, column));
        return { before, at: Number.NaN, type: "json", members };
    });
    const stamps = columns.slice(-3, -1).map((column) => partOf(`,${JSON.stringify(column.field)}:`, column));
    return [...fields, ...stamps];
}
