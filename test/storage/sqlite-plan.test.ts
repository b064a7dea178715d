import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { entityKinds } from "../../lib/model/entities.ts";
import { type Kind, models } from "../../lib/model/kinds.ts";
import type { ColumnType } from "../../lib/model/model.ts";
import { buildSelect } from "../../lib/storage/sql/select.ts";
import { buildCount, buildListSelect } from "../../lib/storage/sql/sorted-select.ts";
import { columnNames, hasJsonColumn, tables } from "../../lib/storage/sql/table.ts";
import { openWriter } from "../../lib/storage/sqlite/open.ts";
import { sqliteDialect } from "../../lib/storage/sqlite/schema.ts";
import type { Query } from "../../lib/storage/storage.ts";
import { shapesOf, sortedShapesOf } from "../support/list-shapes.ts";

const database = openWriter(":memory:");
const kinds = Object.keys(tables) as Kind[];

function rowsOf<Row>(sql: string, ...values: readonly unknown[]): Row[] {
  return database.prepare<unknown[], Row>(sql).all(...values);
}

/** A tenant has few users, and each of these fields has two values, so they need no index. */
const unindexed: Partial<Readonly<Record<Kind, readonly string[]>>> = { user: ["active", "role"] };

/** Returns the faults in the query plans of a list: of records, and of their JSON if the table stores it. */
function faultsOf(kind: Kind, query: Query): string[] {
  const columns = hasJsonColumn(tables[kind]) ? (["record", "json"] as const) : (["record"] as const);
  return columns.flatMap((each) => faultsOfSelect(kind, query, each));
}

function faultsOfSelect(kind: Kind, query: Query, columns: "record" | "json"): string[] {
  const { sql, values } = buildListSelect(sqliteDialect, tables[kind], "t", query, columns);
  const steps = rowsOf<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values).map(({ detail }) => detail);
  // Lookups of a linked record or of the links of a record don't count as scans.
  const scans = steps.filter(
    (step) => /^(?:SCAN|SEARCH) [tl]\b/.test(step) && !step.includes("(tenant_id=? AND id=?)"),
  );
  // Events are never archived, and their IDs have the order of the list.
  const isEvent = kind === "event";
  const parts = query.includeArchived === true && !isEvent ? 2 : 1;
  const faults = steps.filter(
    (step) =>
      step.startsWith("SCAN ") ||
      /^USE TEMP B-TREE FOR (?:.* OF )?ORDER BY/.test(step) ||
      (step.startsWith("SEARCH ") && !/ USING (?:COVERING )?(?:INDEX \w+|PRIMARY KEY) \(tenant_id=\?/.test(step)),
  );
  if (scans.length !== parts) faults.push(`${scans.length} scans`);
  // A unique field matches one record at most, so the position doesn't matter.
  const single = tables[kind].uniques.some(({ field }) => query.where?.[field] !== undefined);
  const after = query.after ?? query.sort?.after;
  const placed = !single && (query.updatedSince !== undefined || after !== undefined);
  const start = isEvent ? / AND id>\?\)/ : /\((?:updated_at|created_at),\w+\)[<>]\(\?,\?\)/;
  if (placed) faults.push(...scans.filter((step) => !start.test(step)));
  const filtered = Object.keys(query.where ?? {}).some((name) => unindexed[kind]?.includes(name) !== true);
  if (filtered) faults.push(...scans.filter((step) => step.includes("_by_update ")));
  return [...new Set(faults)].map((fault) => `${JSON.stringify(query)}: ${fault}`);
}

describe("query plans", () => {
  // The storage lists tenants with a separate query, and never lists idempotency records.
  for (const kind of kinds.filter((kind) => kind !== "tenant" && kind !== "idempotencyRecord")) {
    test(`every list of ${tables[kind].name} uses an index that starts with the tenant and has the order of the list`, () => {
      assert.deepEqual(
        shapesOf(kind).flatMap((query) => faultsOf(kind, query)),
        [],
      );
    });

    test(`every list of ${tables[kind].name} in another order without sorting uses an index with that order`, () => {
      const sorted = kind === "event" ? [] : sortedShapesOf(kind);
      assert.deepEqual(
        sorted.flatMap((query) => faultsOf(kind, query)),
        [],
      );
    });
  }
});

test("a list in an order without an index counts its matches first", () => {
  for (const kind of kinds) {
    const query: Query = { sort: { by: "createdAt", descending: true }, limit: 51 };
    const { count } = buildListSelect(sqliteDialect, tables[kind], "t", query);
    assert.equal(count === undefined, (entityKinds as readonly Kind[]).includes(kind), kind);
  }
});

test("a list of keys searches the index of the keys, before the other filters", () => {
  const cases: readonly (readonly [Kind, filter: string, search: RegExp, archived: RegExp])[] = [
    [
      "account",
      "names",
      /accounts_name_taken \(tenant_id=\? AND name_key=\?/,
      /accounts_archived_by_name \(.*name_key=\?/,
    ],
    ["contact", "emails", /contacts_email_taken \(.*email_key=\?/, /contacts_archived_by_email \(.*email_key=\?/],
    ...(["account", "contact", "opportunity", "note"] as const).map((kind) => {
      const search = /_by_external_id \(tenant_id=\? AND external_id=\? AND archived=\?/;
      return [kind, "externalIds", search, search] as const;
    }),
  ];
  for (const [kind, filter, search, searchArchived] of cases) {
    for (const other of [{}, { ownerId: "u" }, { updatedSince: 5 }] as const) {
      for (const includeArchived of [false, true]) {
        for (const sort of [undefined, { by: "updatedAt", descending: true, after: { key: 5, id: "i" } }] as const) {
          const { updatedSince, ...where } = { updatedSince: undefined, ...other };
          const key = kind === "note" && "ownerId" in where ? { authorId: "u" } : where;
          const start = { ...(updatedSince !== undefined && { updatedSince }), ...(sort && { sort }) };
          const query: Query = { where: { ...key, [filter]: ["x", "y"] }, includeArchived, limit: 51, ...start };
          const select = buildListSelect(sqliteDialect, tables[kind], "t", query, "json");
          assert.ok(select.count);
          for (const { sql, values } of [select, select.count]) {
            const steps = rowsOf<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values).map(
              ({ detail }) => detail,
            );
            const reads = steps.filter((step) => / t\b/.test(step) && !step.includes("(tenant_id=? AND id=?)"));
            const message = `${JSON.stringify(query)}\n${steps.join("\n")}`;
            assert.equal(reads.length, includeArchived ? 2 : 1, message);
            assert.match(String(reads[0]), search, message);
            if (includeArchived) assert.match(String(reads[1]), searchArchived, message);
          }
        }
      }
    }
  }
});

test("a count ends after one entry more than it may examine, in the index of a filter", () => {
  for (const kind of entityKinds) {
    for (const query of shapesOf(kind)) {
      const { sql, values } = buildCount(sqliteDialect, tables[kind], "t", query, 10_000);
      const message = `${JSON.stringify(query)}\n${sql}`;
      assert.equal(values.at(-1), 10_001);
      const steps = rowsOf<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values).map(({ detail }) => detail);
      const scans = steps.filter((step) => / [tl] USING /.test(step) && !step.includes("(tenant_id=? AND id=?)"));
      assert.equal(scans.length, query.includeArchived === true ? 2 : 1, message);
      for (const scan of scans)
        assert.match(scan, /^SEARCH [tl] USING (?:COVERING )?INDEX \w+ \(tenant_id=\?/, message);
      assert.deepEqual(
        steps.filter((step) => step.startsWith("SCAN ") && step !== "SCAN m"),
        [],
        message,
      );
      const filtered = Object.keys(query.where ?? {}).length > 0;
      if (filtered) assert.ok(!scans.some((scan) => scan.includes("_by_update ")), message);
      // The conditions of the scan are those of its index, so that the limit bounds the entries that it reads. A unique
      // field has one match.
      if (tables[kind].uniques.some(({ field }) => query.where?.[field] !== undefined)) continue;
      const scanned = sql.slice(sql.lastIndexOf(" WHERE ")).match(/\w+(?="? (?:=|IS|>=))/g) ?? [];
      for (const column of scanned.filter((name) => name !== "archived_at"))
        assert.match(String(scans[0]), new RegExp(`\\b${column}\\b|substr|<expr>`), message);
    }
  }
});

test("a list or a count with IDs and another filter searches the IDs", () => {
  const cases = [
    ["opportunity", "contactId"],
    ["opportunity", "accountId"],
    ["task", "relatedToId"],
    ["note", "relatedToId"],
  ] as const;
  for (const [kind, filter] of cases) {
    for (const includeArchived of [false, true]) {
      for (const where of [{ ids: ["x"], [filter]: "y" } as const, { [filter]: "y", ids: ["x"] } as const]) {
        const query: Query = { where, includeArchived, limit: 51 };
        for (const { sql, values } of [
          buildListSelect(sqliteDialect, tables[kind], "t", query, "json"),
          buildCount(sqliteDialect, tables[kind], "t", query, 10_000),
        ]) {
          const steps = rowsOf<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values).map(({ detail }) => detail);
          const reads = steps.filter((step) => / [tl] USING /.test(step));
          const message = `${JSON.stringify(query)}\n${steps.join("\n")}`;
          assert.ok(reads.length > 0, message);
          for (const read of reads) assert.match(read, /\(tenant_id=\? AND (?:opportunity_)?id=\?/, message);
          assert.ok(!steps.some((step) => /SCAN [tl]\b/.test(step)), message);
        }
      }
    }
  }
});

test("a list with several filters uses the index of the most selective one, in any order of the filters", () => {
  const indexesOf = (kind: Kind, ...fields: readonly string[]): readonly string[] => {
    const where = Object.fromEntries(fields.map((field) => [field, "x"]));
    const { sql, values } = buildSelect(sqliteDialect, tables[kind], "t", { where, limit: 1 });
    const steps = rowsOf<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
    return steps.flatMap(({ detail }) => / t USING INDEX [a-z]+_(?:by_)?(\w+) /.exec(detail)?.[1] ?? []);
  };
  const cases: readonly (readonly [Kind, string, ...string[]])[] = [
    ["task", "relation", "status", "relatedToId"],
    ["task", "relation_and_assignee", "assignedTo", "relatedToId"],
    ["task", "relation_and_assignee", "assignedTo", "status", "relatedToId"],
    ["contact", "account", "ownerId", "accountId"],
    ["contact", "external_id", "accountId", "externalId"],
    ["contact", "email_taken", "accountId", "email", "ownerId"],
    ["opportunity", "account", "status", "ownerId", "accountId", "stageId", "pipelineId"],
    ["opportunity", "external_id", "accountId", "externalId", "stageId"],
  ];
  for (const [kind, index, ...fields] of cases) {
    assert.deepEqual([indexesOf(kind, ...fields), indexesOf(kind, ...fields.toReversed())], [[index], [index]]);
  }
});

describe("the schema", () => {
  type Column = { readonly name: string; readonly type: string; readonly hidden: number };
  const columnsOf = (table: string) => rowsOf<Column>("SELECT name, type, hidden FROM pragma_table_xinfo(?)", table);
  const storedOf = (table: string) => columnsOf(table).filter(({ hidden }) => hidden === 0);
  const names = (columns: readonly { name: string }[]) => columns.map(({ name }) => name).sort();
  const tableNames = rowsOf<{ name: string }>("SELECT name FROM pragma_table_list WHERE schema = 'main'")
    .map(({ name }) => name)
    .filter((name) => !/^sqlite_|^search_index_/.test(name));

  test("has a table for each kind and each list of links, and three others", () => {
    const links = kinds.flatMap((kind) => tables[kind].links);
    const expected = [...kinds.map((kind) => tables[kind]), ...links].map(({ name }) => name);
    assert.deepEqual(tableNames.sort(), [...expected, "search_index", "settings", "tenant_clocks"].sort());
  });

  const sqlTypes: Readonly<Record<ColumnType, string>> = {
    ...{ text: "TEXT", json: "TEXT", links: "", real: "REAL" },
    ...{ integer: "INTEGER", boolean: "INTEGER", timestamp: "INTEGER" },
  };
  for (const kind of kinds) {
    const table = tables[kind];
    test(`has exactly the columns of ${table.name}, with the type of their values`, () => {
      const expected = hasJsonColumn(table) ? [...columnNames(table), "json"] : columnNames(table);
      assert.deepEqual(names(storedOf(table.name)), expected.sort());
      const types = new Map(storedOf(table.name).map(({ name, type }) => [name, type]));
      const found = table.columns.map(({ name }) => [name, types.get(name)]);
      assert.deepEqual(
        found,
        table.columns.map(({ name, type }) => [name, sqlTypes[type]]),
      );
      const generated = names(columnsOf(table.name).filter(({ hidden }) => hidden !== 0));
      const related = ["related_account_id", "related_contact_id", "related_opportunity_id"];
      // Events are never archived.
      const archived = kind === "event" ? [] : ["archived"];
      assert.deepEqual(generated, "relatedTo" in models[kind].fields ? [...archived, ...related] : archived);
      for (const { name, owner, target } of table.links) {
        const expected = ["tenant_id", owner, target, "position", "archived", "updated_at"];
        assert.deepEqual(names(columnsOf(name)), expected.sort());
      }
    });
  }

  test("starts every primary key, unique index and foreign key with the tenant, except two global ones", () => {
    const indexes = rowsOf<{ name: string; first: string }>(
      `SELECT t.name || '.' || i.name AS name, c.name AS first FROM pragma_table_list t
        JOIN pragma_index_list(t.name) i JOIN pragma_index_info(i.name) c ON c.seqno = 0
        WHERE t.schema = 'main' AND t.type <> 'shadow' AND i."unique" = 1 AND c.name IS NOT 'tenant_id' ORDER BY name`,
    );
    const global = ["api_keys.api_keys_by_hash", "settings.sqlite_autoindex_settings_1"];
    assert.deepEqual(
      indexes.map(({ name }) => name),
      global,
    );
    const withoutKey = tableNames.filter(
      (name) =>
        name !== "search_index" &&
        rowsOf<Column>("SELECT * FROM pragma_index_list(?) WHERE origin = 'pk'", name).length !== 1,
    );
    assert.deepEqual(withoutKey, []);
    const references = rowsOf<{ name: string; other: string }>(
      `SELECT t.name || '.' || f."from" AS name, f."to" AS other FROM pragma_table_list t
        JOIN pragma_foreign_key_list(t.name) f ON f.seq = 0
        WHERE t.schema = 'main' AND (f."from" IS NOT 'tenant_id' OR f."to" IS NOT 'tenant_id')`,
    );
    assert.deepEqual(references, []);
  });

  test("names every CHECK constraint", () => {
    const schema = readFileSync(new URL("../../schema.sql", import.meta.url), "utf8").replace(/--.*$/gm, "");
    const checks = schema.match(/\bCHECK\b/g)?.length;
    assert.ok(checks !== undefined && checks > 10);
    assert.equal(schema.match(/\bCONSTRAINT [a-z0-9_]+ CHECK \(/g)?.length, checks);
  });
});
