// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { fault } from "./mutant.ts";

const tests = ["sqlite-storage", "search"];

/** Searches that find too much, or not the current words. */
export const search = [
  fault(
    "a search of any tenant",
    "lib/storage/sql/search.ts",
    '`${tenant.replaceAll("-", "")}${kind[0]}${word}`',
    "`${kind[0]}${word}`",
    tests,
  ),
  fault(
    "search terms before an update read from any tenant",
    "lib/storage/sqlite/search.ts",
    "${tables[kind].name} WHERE tenant_id = ? AND id = ?",
    "${tables[kind].name} WHERE ? IS NOT NULL AND id = ?",
    ["sqlite-storage"],
  ),
  fault(
    "found records sorted by those of any tenant",
    "lib/storage/sqlite/search.ts",
    "WHERE r.tenant_id = ? AND r.id = found.id",
    "WHERE ? IS NOT NULL AND r.id = found.id",
    ["sqlite-storage"],
  ),
  fault(
    "search terms of any tenant removed",
    "lib/storage/sqlite/search.ts",
    '`"${tenant.replaceAll("-", "")}${kind}"*`',
    '`"${tenant.slice(0, 1)}"*`',
    ["sqlite-search"],
  ),
  fault(
    "SQLite: search terms of a removed tenant that stay",
    "lib/storage/sqlite/database-tools.ts",
    "    removeTerms(database, tenantId);\n",
    "",
    ["sqlite-search"],
  ),
  fault(
    "PostgreSQL: search terms of a removed tenant that stay",
    "lib/storage/postgres/remove-tenant.ts",
    '"search_entries", ',
    "",
    ["postgres-remove-tenant"],
  ),
  fault(
    "search terms that an update doesn't remove",
    "lib/storage/sqlite/search.ts",
    'if (before !== "") prepare(deleteSql)',
    'if (before === "?") prepare(deleteSql)',
    tests,
  ),
  fault(
    "a search beyond the scopes",
    "lib/endpoints/search.ts",
    ".filter((kind) => scopes.includes(scopeOf(kind)))",
    "",
    ["search"],
  ),
  fault(
    "a short number that matches the end of a phone number",
    "lib/model/normalize.ts",
    "phoneKey(digits) === phoneKey(ending) && ",
    "",
    ["memory-storage"],
  ),
  fault(
    "a phone number that matches by its last 7 digits",
    "lib/storage/sql/select.ts",
    "`%${phoneDigits(String(value))}`",
    '"%"',
    ["sqlite-storage", "lists-ids-phone"],
  ),
  fault(
    "a cursor of a list of keys without its backslashes",
    "lib/api/list-endpoint.ts",
    "joinList(value)",
    "String(value)",
    ["lists-ids-phone"],
  ),
  fault(
    "a list of keys that scans in the order of the list",
    "lib/storage/sql/sorted-select.ts",
    "return query.words !== undefined || keysFilterOf(query) !== undefined;",
    "return query.words !== undefined;",
    ["sqlite-plan"],
  ),
  fault(
    "a count that ignores the filters that it doesn't scan",
    "lib/storage/sql/sorted-select.ts",
    "(WHERE matches)",
    "(WHERE true)",
    ["sqlite-storage"],
  ),
  fault(
    "a count that examines all records of its filter",
    "lib/storage/sql/sorted-select.ts",
    ".count(max + 1)",
    ".count(1e9)",
    ["sqlite-storage", "sqlite-plan"],
  ),
  fault("a count as a filter of the cursor", "lib/api/list-endpoint.ts", "    count: _,\n", "", ["counts"]),
];
