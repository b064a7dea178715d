// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { faults } from "./mutant.ts";

const tests = ["sqlite-storage", "search"];

/** Searches that find too much, or not the current words. */
export const search = [
  ...faults("lib/storage/sql/search.ts", tests, [
    ["a search of any tenant", '`${tenant.replaceAll("-", "")}${kind[0]}`', "`${kind[0]}`"],
  ]),
  ...faults("lib/storage/sqlite/search.ts", "sqlite-storage", [
    [
      "search terms before an update read from any tenant",
      "${tables[kind].name} WHERE tenant_id = ? AND id = ?",
      "${tables[kind].name} WHERE ? IS NOT NULL AND id = ?",
    ],
    [
      "found records sorted by those of any tenant",
      "WHERE r.tenant_id = ? AND r.id = found.id",
      "WHERE ? IS NOT NULL AND r.id = found.id",
    ],
    [
      "search terms of any tenant removed",
      '`"${tenant.replaceAll("-", "")}${kind}"*`',
      '`"${tenant.slice(0, 1)}"*`',
      "sqlite-search",
    ],
    [
      "search terms that an update doesn't remove",
      'if (before !== "") prepare(deleteSql)',
      'if (before === "?") prepare(deleteSql)',
      tests,
    ],
  ]),
  ...faults("lib/storage/sqlite/database-tools.ts", "sqlite-search", [
    ["SQLite: search terms of a removed tenant that stay", "    removeTerms(database, tenantId);\n", ""],
  ]),
  ...faults("lib/storage/postgres/remove-tenant.ts", "postgres-remove-tenant", [
    ["PostgreSQL: search terms of a removed tenant that stay", '"search_entries", ', ""],
  ]),
  ...faults("lib/endpoints/search.ts", "search", [
    ["a search beyond the scopes", ".filter((kind) => scopes.includes(scopeOf(kind)))", ""],
  ]),
  ...faults("lib/model/normalize.ts", "memory-storage", [
    ["a short number that matches the end of a phone number", "phoneKey(digits) === phoneKey(ending) && ", ""],
  ]),
  ...faults(
    "lib/storage/sql/select.ts",
    ["sqlite-storage", "lists-ids-phone"],
    [["a phone number that matches by its last 7 digits", "`%${phoneDigits(String(value))}`", '"%"']],
  ),
  ...faults("lib/api/list-endpoint.ts", "lists-ids-phone", [
    ["a cursor of a list of keys without its backslashes", "joinList(value)", "String(value)"],
    ["a count as a filter of the cursor", "    count: _,\n", "", "counts"],
  ]),
  ...faults("lib/storage/sql/sorted-select.ts", "sqlite-plan", [
    [
      "a list of keys that scans in the order of the list",
      "return query.words !== undefined || keysFilterOf(query) !== undefined;",
      "return query.words !== undefined;",
    ],
    ["a count that ignores the filters that it doesn't scan", "(WHERE matches)", "(WHERE true)", "sqlite-storage"],
    [
      "a count that examines all records of its filter",
      ".count(max + 1)",
      ".count(1e9)",
      ["sqlite-storage", "sqlite-plan"],
    ],
  ]),
];
