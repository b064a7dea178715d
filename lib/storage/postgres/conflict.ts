import type { ClientBase } from "pg";
import { tables } from "../sql/table.ts";
import { type Write, WriteConflict } from "../storage.ts";
import { statement } from "./statement.ts";

/**
 * Which record is in the way of a write that a constraint has refused, or undefined where it was something else: asked
 * in the midst of the commit, with all earlier writes made.
 */
export async function findConflict(
  client: Pick<ClientBase, "query">,
  tenant: string,
  { kind, op, record }: Write,
): Promise<WriteConflict | undefined> {
  const table = tables[kind];
  const one = async (sql: string, values: readonly unknown[]) => (await client.query(statement(sql, values))).rows[0];
  for (const { field, name, fold } of record.archivedAt === null ? table.uniques : []) {
    const value = (record as unknown as Record<string, unknown>)[field];
    if (typeof value !== "string") continue;
    const sql = `SELECT id FROM ${table.name} WHERE tenant_id = ? AND ${name} = ? AND archived_at IS NULL AND id <> ?`;
    const other = await one(sql, [tenant, fold(value), record.id]);
    if (other !== undefined) return new WriteConflict("duplicate", kind, field, String(other.id));
  }
  const same = `SELECT 1 FROM ${table.name} WHERE tenant_id = ? AND id = ?`;
  if (op === "insert" && (await one(same, [tenant, record.id])) !== undefined)
    return new WriteConflict("duplicate", kind, "id", record.id);
  if (kind !== "apiKey") return undefined;
  const taken = "SELECT 1 FROM api_keys WHERE tenant_id = ? AND hash = ? AND id <> ?";
  const hash = await one(taken, [tenant, record.hash, record.id]);
  return hash === undefined ? undefined : new WriteConflict("duplicate", kind, "hash", record.id);
}
