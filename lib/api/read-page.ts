import type { Kind } from "../model/kinds.ts";
import type { Position, Query, Storage } from "../storage/storage.ts";

/** A page ends before the record that would take its JSON beyond this many bytes. */
export const maxPageBytes = 4 * 1024 * 1024;
/** The maximum number of records in one read, which bounds the memory of a page of long records. */
const maxPortion = 101;

/** The records of a page as JSON, and the position of the last one. */
export type Page = {
  readonly records: readonly string[];
  readonly hasMore: boolean;
  readonly position: Position | undefined;
};

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
): Promise<Page> {
  // One row more tells whether a page follows, so that an exactly full last page knows it is the last.
  const wanted = limit + 1;
  let records: readonly string[] = [];
  const page = (end: number, hasMore: boolean): Page => {
    return { records: records.slice(0, end), hasMore, position: positionOf(records[end - 1]) };
  };
  for (let next = query; ; ) {
    const size = Math.min(wanted - records.length, maxPortion);
    const portion = await storage.listJson(tenantId, kind, { ...next, limit: size, maxBytes: maxPageBytes });
    records = records.length === 0 ? portion : withoutOlderVersions([...records, ...portion]);
    const fitting = countFitting(records);
    if (fitting < records.length) return page(fitting, true);
    if (records.length === wanted) return page(limit, true);
    const after = positionOf(portion.at(-1));
    if (portion.length < size || after === undefined) return page(records.length, false);
    next = { ...query, after };
  }
}

/** The number of records from the front that fit on a page. The first one always does. */
function countFitting(records: readonly string[]): number {
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

function positionOf(json: string | undefined): Position | undefined {
  if (json === undefined) return undefined;
  const { updatedAt, id } = JSON.parse(json) as { updatedAt: string; id: string };
  return { updatedAt: Date.parse(updatedAt), id };
}
