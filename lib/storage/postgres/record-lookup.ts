import type { Kind, Records } from "../../model/kinds.ts";
import { recordFromRow, selectColumns, tables } from "../sql/table.ts";
import type { Storage } from "../storage.ts";
import type { QueryRows } from "./api-key-lookup.ts";
import { batchReads } from "./batch-reads.ts";
import { postgresDialect } from "./statement.ts";

const columnsOf = (kind: Kind): string => selectColumns(postgresDialect, tables[kind]);
/** With LIMIT, PostgreSQL looks up each record. It could read the whole table otherwise. */
const storedResponsesSql = `SELECT r.* FROM unnest(?::text[], ?::text[]) AS wanted (tenant_id, id), LATERAL (
  SELECT t.tenant_id, ${columnsOf("idempotencyRecord")} FROM idempotency_records t
  WHERE t.tenant_id = wanted.tenant_id AND t.id = wanted.id LIMIT 1) AS r`;

/**
 * Returns a function that reads a record. Each POST with an Idempotency-Key reads an idempotency record, so the reads
 * of a turn of the event loop share a statement, as those of the settings version do.
 */
export function recordLookup(queryRows: QueryRows, isDistributed: boolean): Storage["get"] {
  const getOne = async <K extends Kind>(tenant: string, kind: K, id: string): Promise<Records[K] | undefined> => {
    const sql = `SELECT ${columnsOf(kind)} FROM ${tables[kind].name} t WHERE tenant_id = ? AND id = ?`;
    const [row] = await queryRows(sql, [tenant, id]);
    return row && recordFromRow<K>(tables[kind], row);
  };
  const nameOf = (tenant: unknown, id: unknown): string => `${tenant} ${id}`;
  const getStoredResponse = batchReads<readonly [tenant: string, id: string], Records["idempotencyRecord"]>(
    ([tenant, id]) => nameOf(tenant, id),
    async (wanted) => {
      const rows = await queryRows(storedResponsesSql, [wanted.map(([tenant]) => tenant), wanted.map(([, id]) => id)]);
      const table = tables.idempotencyRecord;
      return new Map(
        rows.map((row) => [nameOf(row.tenant_id, row.id), recordFromRow<"idempotencyRecord">(table, row)]),
      );
    },
  );
  return async <K extends Kind>(tenant: string, kind: K, id: string): Promise<Records[K] | undefined> => {
    if (kind !== "idempotencyRecord" || isDistributed) return getOne(tenant, kind, id);
    return (await getStoredResponse([tenant, id])) as Records[K] | undefined;
  };
}
