import { rowJson } from "../sql/json.js";
import { selection, tables } from "../sql/table.js";
import { sqliteDialect } from "./dialect.js";
/** What is walked page by page has its JSON beside it, as answers show it: a page is read then, and not made. */
const kinds = new Set(["account", "contact", "opportunity", "task"]);
export function keepsJson({ kind }) {
    return kinds.has(kind);
}
/** The JSON that reading this row would give, of which `toRow` made the values. */
export function keptJson(table, row, record) {
    const links = table.links.map(({ field }) => JSON.stringify(record[field] ?? []));
    return rowJson(table, [...row.slice(1, table.columns.length + 1), ...links]).json;
}
/** So many records at a time: the memory stays the same however many there are. */
const batch = 1_000;
/** Makes the JSON of every record anew, in the transaction that is open. */
export function refreshJson(database) {
    for (const table of Object.values(tables).filter(keepsJson)) {
        const columns = selection(sqliteDialect, table);
        const rows = database.prepare(`SELECT ${columns}, t.rowid FROM ${table.name} t WHERE t.rowid > ? ORDER BY t.rowid LIMIT ${batch}`);
        const update = database.prepare(`UPDATE ${table.name} SET json = ? WHERE rowid = ?`);
        for (let [last, more] = [0, true]; more;) {
            const read = rows.raw().all(last);
            for (const row of read)
                update.run(rowJson(table, row).json, row.at(-1));
            last = Number(read.at(-1)?.at(-1) ?? last);
            more = read.length === batch;
        }
    }
}
/** A line for each table whose lists show records otherwise than they are: who changes rows by hand changes no JSON. */
export function staleJson(database) {
    return Object.values(tables)
        .filter(keepsJson)
        .flatMap((table) => {
        const rows = database.prepare(`SELECT ${selection(sqliteDialect, table)}, t.json FROM ${table.name} t`).raw();
        let stale = 0;
        for (const row of rows.iterate())
            if (rowJson(table, row).json !== row.at(-1))
                stale++;
        return stale === 0 ? [] : [`lists show ${stale} of ${table.name} otherwise than their columns do`];
    });
}
