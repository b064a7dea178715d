import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "../../lib/model/kinds.ts";
import { numberPlaceholders, postgresDialect } from "../../lib/storage/postgres/statement.ts";
import { buildSelect } from "../../lib/storage/sql/select.ts";
import { tables as tablesOf } from "../../lib/storage/sql/table.ts";
import { shapesOf } from "../support/list-shapes.ts";
import { usesOf } from "../support/postgres-statements.ts";

const tables = ["tasks", "contacts", "links", "owners"];

/** Statements with the tables in them that they don't filter by tenant. */
const statements: readonly (readonly [sql: string, unbound: readonly string[]])[] = [
  ["SELECT id FROM tasks t WHERE tenant_id = $1 AND id = $2", []],
  ["SELECT id FROM tasks t WHERE t.id = $1", ["tasks"]],
  ["SELECT id FROM tasks", ["tasks"]],
  ["SELECT id FROM tasks WHERE tenant_id > $1", ["tasks"]],
  ["BEGIN; SELECT id FROM tasks WHERE tenant_id = 'a' FOR UPDATE", []],
  ["SELECT 1 FROM links l JOIN tasks t ON t.tenant_id = l.tenant_id AND t.id = l.task_id WHERE l.tenant_id = $1", []],
  ["SELECT 1 FROM links l JOIN tasks t ON t.id = l.task_id WHERE l.tenant_id = $1", ["tasks"]],
  ["SELECT 1 FROM links l JOIN tasks t ON t.tenant_id = l.tenant_id WHERE l.id = $1", ["links", "tasks"]],
  [
    "SELECT (SELECT name FROM contacts WHERE tenant_id = t.tenant_id AND id = t.c) FROM tasks t WHERE t.tenant_id = $1",
    [],
  ],
  ["SELECT (SELECT name FROM contacts WHERE id = t.contact_id) FROM tasks t WHERE t.tenant_id = $1", ["contacts"]],
  ["SELECT id FROM tasks WHERE tenant_id = $1 UNION ALL SELECT id FROM tasks WHERE archived = 1", ["tasks"]],
  ["SELECT 1 FROM owners o JOIN tasks t ON t.tenant_id = o.tenant_id WHERE o.hash = $1", ["owners", "tasks"]],
  ["INSERT INTO tasks (tenant_id, id) VALUES ($1, $2)", []],
  ["INSERT INTO tasks (id, tenant_id) VALUES ($1, $2)", ["tasks"]],
  ["INSERT INTO links (tenant_id, id) SELECT id, $1 FROM unnest($2) AS given (id)", ["links"]],
  ["UPDATE tasks SET tenant_id = tenant_id WHERE id = $1", ["tasks"]],
  ["UPDATE tasks SET tenant_id = $1 WHERE id = $2", ["tasks"]],
  ["UPDATE tasks SET title = $1 WHERE tenant_id = $2 AND id = $3", []],
  ["WITH s0 AS (DELETE FROM links WHERE id = $1 RETURNING 1) SELECT (SELECT count(*) FROM s0) AS s0", ["links"]],
  ["DELETE FROM tasks WHERE tenant_id = $1 AND id IN (SELECT id FROM tasks WHERE old < $2)", ["tasks"]],
];

for (const [sql, unbound] of statements) {
  test(`${unbound.length === 0 ? "bound" : `not bound: ${unbound}`} in ${sql}`, () => {
    const found = usesOf(sql, tables).filter((use) => use.unbound);
    assert.deepEqual(found.map(({ table }) => table).sort(), unbound);
  });
}

const kinds = (Object.keys(tablesOf) as Kind[]).filter((kind) => kind !== "tenant");
const every = kinds.flatMap((kind) => [tablesOf[kind], ...tablesOf[kind].links]).map(({ name }) => name);

for (const kind of kinds) {
  test(`every list of ${tablesOf[kind].name} filters each table by tenant`, () => {
    for (const query of shapesOf(kind)) {
      const sql = numberPlaceholders(buildSelect(postgresDialect, tablesOf[kind], "t", query).sql);
      const uses = usesOf(sql, every);
      assert.ok(
        uses.some(({ table }) => table === tablesOf[kind].name),
        sql,
      );
      assert.deepEqual(
        uses.filter(({ unbound }) => unbound),
        [],
        sql,
      );
    }
  });
}
