import type { Pool } from "pg";
import { tables } from "../sql/table.ts";
import { type Write, WriteConflict } from "../storage.ts";
import { statement } from "./statement.ts";

/**
 * Which record is in the way of the first write that cannot be made, or undefined where it was something else: asked
 * after the transaction that failed is over.
 */
export async function conflictOf(
  pool: Pick<Pool, "query">,
  tenant: string,
  writes: readonly Write[],
): Promise<WriteConflict | undefined> {
  for (const [index, write] of writes.entries()) {
    const earlier = writes.slice(0, index).filter(({ kind }) => kind === write.kind);
    const conflict = await conflictOfOne(pool, tenant, write, earlier);
    if (conflict !== undefined) return conflict;
  }
  return undefined;
}

/** Two writes of one commit can be in each other's way. */
function amongWrites({ kind, op, record }: Write, earlier: readonly Write[]): WriteConflict | undefined {
  for (const { field, fold } of record.archivedAt === null ? tables[kind].uniques : []) {
    const key = (of: unknown): string => fold(String((of as Record<string, unknown>)[field] ?? ""));
    const others = earlier.filter(({ record: other }) => other.archivedAt === null && other.id !== record.id);
    const other = key(record) === "" ? undefined : others.find((each) => key(each.record) === key(record));
    if (other !== undefined) return new WriteConflict("taken", kind, field, other.record.id);
  }
  const same = op === "insert" && earlier.some((each) => each.record.id === record.id);
  return same ? new WriteConflict("taken", kind, "id", record.id) : undefined;
}

/** What the database had before, and what earlier writes of the commit made of it. */
async function conflictOfOne(
  pool: Pick<Pool, "query">,
  tenant: string,
  write: Write,
  earlier: readonly Write[],
): Promise<WriteConflict | undefined> {
  const { kind, op, record } = write;
  const table = tables[kind];
  const all = async (sql: string, values: readonly unknown[]) => (await pool.query(statement(sql, values))).rows;
  const [kept] = await all(`SELECT updated_at FROM ${table.name} WHERE tenant_id = ? AND id = ?`, [tenant, record.id]);
  const version = earlier.findLast((each) => each.record.id === record.id)?.record.updatedAt ?? kept?.updated_at;
  if (op === "update" && version !== write.was) return new WriteConflict("stale", kind, "id", record.id);
  const among = amongWrites(write, earlier);
  if (among !== undefined) return among;
  for (const { field, name, fold } of record.archivedAt === null ? table.uniques : []) {
    const value = (record as unknown as Record<string, unknown>)[field];
    if (typeof value !== "string") continue;
    const sql = `SELECT id FROM ${table.name} WHERE tenant_id = ? AND ${name} = ? AND archived_at IS NULL AND id <> ?`;
    const [other] = await all(sql, [tenant, fold(value), record.id]);
    const isMoved = earlier.some((each) => each.record.id === other?.id);
    if (other !== undefined && !isMoved) return new WriteConflict("taken", kind, field, String(other.id));
  }
  if (op === "insert" && kept !== undefined) return new WriteConflict("taken", kind, "id", record.id);
  if (kind !== "apiKey") return undefined;
  const taken = "SELECT 1 FROM api_keys WHERE tenant_id = ? AND hash = ? AND id <> ?";
  const [hash] = await all(taken, [tenant, record.hash, record.id]);
  return hash === undefined ? undefined : new WriteConflict("taken", kind, "hash", record.id);
}
