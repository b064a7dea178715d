import assert from "node:assert/strict";
import { test } from "node:test";
import Database from "better-sqlite3";
import { type AnyRecord, type Kind, models } from "../../lib/model/kinds.ts";
import { fullTenant, insertAll } from "../../lib/storage/contract/full-tenant.ts";
import { idOf, startTime, updateWrite } from "../../lib/storage/contract/records.ts";
import { tables } from "../../lib/storage/sql/table.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { openWriter } from "../../lib/storage/sqlite/open.ts";

/** All kinds except stages. Opportunities refer to a stage with its pipeline, which isn't part of its primary key. */
const kinds = (Object.keys(models) as Kind[]).filter((kind) => kind !== "stage");

test("an update doesn't read the tables that refer to the record", async (t) => {
  const database = openWriter(":memory:");
  const prepared: string[] = [];
  const { prepare } = Database.prototype as Database.Database;
  t.mock.method(Database.prototype as Database.Database, "prepare", function (this: Database.Database, sql: string) {
    prepared.push(sql);
    return prepare.call(this, sql);
  });
  const storage = sqliteStorage({ file: ":memory:" });
  const [tenant, records] = [idOf(1, 0), fullTenant(1, startTime)];
  await storage.commit(tenant, startTime, () => insertAll(records));
  for (const kind of kinds) {
    const [record] = records[kind] as unknown as readonly [AnyRecord & { readonly id: string }];
    prepared.length = 0;
    await storage.commit(tenant, startTime + 1, (at) => [
      updateWrite(kind, record as never, { updatedAt: at } as never),
    ]);
    const sql = prepared.find((each) => each.startsWith(`UPDATE ${tables[kind].name} `)) ?? "";
    assert.notEqual(sql, "", `no update of ${kind}`);
    assert.deepEqual(
      tablesReadBy(database, sql).filter((name) => referringTo(database, tables[kind].name).includes(name)),
      [],
      kind,
    );
  }
  await storage.close();
});

/** Returns the tables that a statement opens, directly or through an index. */
function tablesReadBy(database: Database.Database, sql: string): string[] {
  const values = sql.split("?").slice(1).fill("");
  const program = database.prepare<unknown[], { opcode: string; p2: number }>(`EXPLAIN ${sql}`).all(values);
  const roots = program.filter(({ opcode }) => /^(?:Re)?Open(?:Read|Write|Idx)$/.test(opcode)).map(({ p2 }) => p2);
  const owner = database.prepare<[number], string>("SELECT tbl_name FROM sqlite_schema WHERE rootpage = ?").pluck();
  return [...new Set(roots.flatMap((root) => owner.get(root) ?? []))];
}

function referringTo(database: Database.Database, parent: string): string[] {
  return database
    .prepare<[string], string>(
      `SELECT DISTINCT t.name FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name) f
        WHERE t.schema = 'main' AND f."table" = ?`,
    )
    .pluck()
    .all(parent);
}
