import { createHash } from "node:crypto";
import pg from "pg";
/** 64-bit whole numbers are times in milliseconds, exact as numbers; JSON stays the text that was written. */
const types = {
    getTypeParser(oid, format) {
        if (oid === pg.types.builtins.INT8)
            return Number;
        return pg.types.getTypeParser(oid, format);
    },
};
const names = new Map();
/** A statement that each connection prepares once. Places are written as ? and numbered here. */
export function statement(sql, values) {
    return { name: nameOf(sql), text: numbered(sql), values: [...values], ...(types === undefined ? {} : { types }) };
}
/** `?` → `$1`, `$2`, … No statement of ours has a question mark of another meaning. */
export function numbered(sql) {
    let count = 0;
    return sql.replace(/\?/g, () => `$${++count}`);
}
function nameOf(sql) {
    let name = names.get(sql);
    if (name === undefined) {
        name = `crm_${createHash("sha256").update(sql).digest("hex").slice(0, 24)}`;
        names.set(sql, name);
    }
    return name;
}
