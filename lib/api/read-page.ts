import type { Kind } from "../model/kinds.ts";
import type { Position, Query, Storage } from "../storage/storage.ts";
import type { CursorPosition } from "./cursor.ts";
import { positionIn } from "./list-order.ts";

/** The records of a page as JSON, and the position of the last one that was read. */
export type Page = {
  readonly records: readonly string[];
  readonly hasMore: boolean;
  readonly position: CursorPosition | undefined;
};

/** A page ends before the record that would take its JSON beyond this many bytes. */
export const maxPageBytes = 4 * 1024 * 1024;
/** The maximum number of records in one read, which bounds the memory of a page of long records. */
const maxRecordsPerRead = 101;

/**
 * Reads a page of at most `limit` records and `maxPageBytes`, but of at least one record if there is one. A page of
 * more than 100 records takes several reads. If a record changes between two of them, the page has only its newer
 * version.
 */
export async function readPage(
  storage: Pick<Storage, "listJson">,
  tenantId: string,
  kind: Kind,
  query: Query,
  limit: number,
): Promise<Page> {
  // One more row shows whether another page follows. A last page that is exactly full then has no cursor.
  const rowLimit = limit + 1;
  let records: readonly string[] = [];
  const positionOf = (json: string | undefined) => (json === undefined ? undefined : positionIn(query.sort, json));
  const page = (end: number, hasMore: boolean): Page => {
    return { records: records.slice(0, end), hasMore, position: positionOf(records[end - 1]) };
  };
  for (let next = query; ; ) {
    const size = Math.min(rowLimit - records.length, maxRecordsPerRead);
    const batch = await storage.listJson(tenantId, kind, { ...next, limit: size, maxBytes: maxPageBytes });
    records = records.length === 0 ? batch : withoutOlderVersions([...records, ...batch]);
    const fitting = countRecordsThatFit(records);
    if (fitting < records.length) return page(fitting, true);
    if (records.length === rowLimit) return page(limit, true);
    const after = positionOf(batch.at(-1));
    if (batch.length < size || after === undefined) return page(records.length, false);
    next = { ...query, ...(query.sort ? { sort: { ...query.sort, after } } : { after: toPosition(after) }) };
  }
}

/** The number of records from the front that fit on a page. The first one always does. */
export function countRecordsThatFit(records: readonly string[]): number {
  let units = 0;
  for (const json of records) units += json.length + 1;
  // A UTF-16 unit takes at most three bytes. Most pages are so short that nothing needs to be counted.
  if (units * 3 <= maxPageBytes) return records.length;
  let bytes = 0;
  for (const [index, json] of records.entries()) {
    bytes += Buffer.byteLength(json) + 1;
    if (bytes > maxPageBytes && index > 0) return index;
  }
  return records.length;
}

function withoutOlderVersions(records: readonly string[]): readonly string[] {
  const newest = new Map(records.map((json) => [idOf(json), json]));
  return newest.size === records.length ? records : records.filter((json) => newest.get(idOf(json)) === json);
}

/** Returns the ID, which is the first member of a record's JSON. */
function idOf(json: string): string {
  return json.slice(0, json.indexOf(","));
}

/** Returns the position of a cursor in the order of commits. */
export function toPosition({ key, id }: CursorPosition): Position {
  return { updatedAt: Number(key), id };
}
