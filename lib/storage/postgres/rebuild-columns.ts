import type { ClientBase } from "pg";
import type { AnyRecord } from "../../model/kinds.ts";
import { models } from "../../model/kinds.ts";
import { toJsonText } from "../../model/record-json.ts";
import {
  hasJsonColumn,
  recordFromRow,
  selectColumns,
  snakeCase,
  type Table,
  tables,
  type UniqueColumn,
} from "../sql/table.ts";
import { postgresDialect, statement } from "./statement.ts";

/** Rows per batch. Bounds the memory. */
const batchSize = 1_000;

type Row = { readonly tenant_id: string; readonly id: string; readonly value: string; readonly key: string };

/**
 * Normalizes the values of unique fields again, in the open transaction. A record keeps its former normalized value if
 * another one already has the new value. The record with the smaller ID gets it.
 */
export async function rebuildUniqueKeys(client: ClientBase): Promise<void> {
  for (const { name, uniques } of Object.values(tables))
    for (const each of uniques) await rebuildColumn(client, name, each);
}

async function rebuildColumn(
  client: ClientBase,
  table: string,
  { field, name, normalize }: UniqueColumn,
): Promise<void> {
  const select = `SELECT tenant_id, id, "${snakeCase(field)}" AS value, ${name} AS key FROM ${table}
    WHERE (tenant_id, id) > ($1, $2) AND ${name} IS NOT NULL ORDER BY tenant_id, id LIMIT ${batchSize}`;
  const update = `UPDATE ${table} SET ${name} = $1 WHERE tenant_id = $2 AND id = $3 AND (archived_at IS NOT NULL OR
    NOT EXISTS (SELECT FROM ${table} WHERE tenant_id = $2 AND ${name} = $1 AND archived_at IS NULL))`;
  let rows: Row[];
  let last = ["", ""];
  do {
    rows = (await client.query<Row>(select, last)).rows;
    for (const { tenant_id, id, value, key } of rows) {
      const newKey = normalize(value);
      if (newKey !== key) await client.query(update, [newKey, tenant_id, id]);
      last = [tenant_id, id];
    }
  } while (rows.length === batchSize);
}

/** Writes the JSON column of every record again, in the open transaction. */
export async function rebuildJson(client: ClientBase): Promise<void> {
  for (const table of Object.values(tables).filter(hasJsonColumn)) await rebuildJsonOf(client, table);
}

async function rebuildJsonOf(client: ClientBase, table: Table): Promise<void> {
  const select = `SELECT t.tenant_id, ${selectColumns(postgresDialect, table)} FROM ${table.name} t
    WHERE (t.tenant_id, t.id) > (?, ?) ORDER BY t.tenant_id, t.id LIMIT ${batchSize}`;
  const update = `UPDATE ${table.name} t SET json = x.json
    FROM unnest(?::text[], ?::text[], ?::text[]) AS x (tenant_id, id, json) WHERE t.tenant_id = x.tenant_id AND t.id = x.id`;
  let rows: Record<string, unknown>[];
  let last: unknown[] = ["", ""];
  do {
    rows = (await client.query(statement(select, last))).rows;
    const jsons = rows.map((row) => toJsonText(models[table.kind], recordFromRow(table, row) as AnyRecord));
    await client.query(statement(update, [rows.map((row) => row.tenant_id), rows.map(({ id }) => id), jsons]));
    last = [rows.at(-1)?.tenant_id, rows.at(-1)?.id];
  } while (rows.length === batchSize);
}
