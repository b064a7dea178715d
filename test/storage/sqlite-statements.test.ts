import assert from "node:assert/strict";
import { test } from "node:test";
import { buildSelect } from "../../lib/storage/sql/select.ts";
import { type Table, tables } from "../../lib/storage/sql/table.ts";
import { activeOpportunitiesSql } from "../../lib/storage/sqlite/active-opportunities.ts";
import { sqliteDialect } from "../../lib/storage/sqlite/schema.ts";

/** The filters of a table. One value fits them all, because the SQL of a list doesn't depend on it. */
function filtersOf({ kind, columns, links }: Table): string[] {
  // Events have no filters.
  if (kind === "event") return [];
  return [...columns.map(({ field }) => field), ...links.map(({ field }) => field.replace(/Ids$/, "Id"))];
}

test("no SQL has a bare parameter after = or LIMIT, because SQLite would prepare it again for each value", () => {
  const texts = Object.values(tables).flatMap((table) =>
    [{}, ...filtersOf(table).map((field) => ({ [field]: "x" }))].flatMap((where) =>
      [false, true].map(
        (includeArchived) => buildSelect(sqliteDialect, table, "t", { where, includeArchived, limit: 1 }).sql,
      ),
    ),
  );
  const bare = [...texts, activeOpportunitiesSql].filter((sql) => /(?:=|LIMIT) \?/.test(sql));
  assert.deepEqual(bare, []);
});

test("lists that differ only in values have the same SQL", () => {
  const [one, other] = [1, 2].map((limit) => {
    const where = { status: `s${limit}`, assignedTo: `u${limit}` };
    return buildSelect(sqliteDialect, tables.task, `t${limit}`, { where, after: { updatedAt: limit, id: "i" }, limit });
  });
  assert.equal(one?.sql, other?.sql);
  assert.deepEqual(one?.values, ["t1", "s1", "u1", 1, "i", 1]);
  assert.deepEqual(other?.values, ["t2", "s2", "u2", 2, "i", 2]);
});
