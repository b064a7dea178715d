import type { Kind } from "../model/kinds.ts";
import type { Query, RecordJson, Storage } from "../storage/storage.ts";

/** A page ends before the record that would take its JSON beyond this many bytes. */
export const maxPageBytes = 4 * 1024 * 1024;
/** The maximum number of records in one read, which bounds the memory of a page of long records. */
const maxPortion = 101;

export type PageRows = { readonly rows: readonly RecordJson[]; readonly hasMore: boolean };

/**
 * Reads a page of at most `limit` records and `maxPageBytes`, but of at least one record if there is one. A page of more
 * than 100 records takes several reads. If a record changes between two of them, the page has only its newer version.
 */
export async function readPage(
  storage: Pick<Storage, "listJson">,
  tenantId: string,
  kind: Kind,
  query: Query,
  limit: number,
): Promise<PageRows> {
  // One row more tells whether a page follows, so that an exactly full last page knows it is the last.
  const wanted = limit + 1;
  let rows: readonly RecordJson[] = [];
  for (let next = query; ; ) {
    const size = Math.min(wanted - rows.length, maxPortion);
    const portion = await storage.listJson(tenantId, kind, { ...next, limit: size, maxBytes: maxPageBytes });
    rows = rows.length === 0 ? portion : withoutOlderVersions([...rows, ...portion]);
    const fitting = countFitting(rows);
    if (fitting < rows.length) return { rows: rows.slice(0, fitting), hasMore: true };
    if (rows.length === wanted) return { rows: rows.slice(0, limit), hasMore: true };
    const last = portion.at(-1);
    if (portion.length < size || last === undefined) return { rows, hasMore: false };
    next = { ...query, after: { updatedAt: last.updatedAt, id: last.id } };
  }
}

/** The number of records from the front that fit on a page. The first one always does. */
function countFitting(rows: readonly RecordJson[]): number {
  let units = 0;
  for (const { json } of rows) units += json.length + 1;
  // A UTF-16 unit takes at most three bytes. Most pages are so short that nothing needs to be counted.
  if (units * 3 <= maxPageBytes) return rows.length;
  let bytes = 0;
  for (const [index, { json }] of rows.entries()) {
    bytes += Buffer.byteLength(json) + 1;
    if (bytes > maxPageBytes && index > 0) return index;
  }
  return rows.length;
}

function withoutOlderVersions(rows: readonly RecordJson[]): readonly RecordJson[] {
  const newest = new Map(rows.map((row) => [row.id, row]));
  return newest.size === rows.length ? rows : rows.filter((row) => newest.get(row.id) === row);
}
