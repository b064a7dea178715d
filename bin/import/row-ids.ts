import { createHash } from "node:crypto";

/**
 * Creates the IDs of an import: version 8 UUIDs in row order, so that the index grows at its end. They are derived from the
 * file and the row number, so that a repeated row can't create a second record.
 */
export function rowIdGenerator(parts: readonly string[]): (row: number) => string {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  const groups = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(12, 15)}`,
    `8${hash.slice(15, 18)}`,
    hash.slice(18, 20),
  ];
  const start = groups.join("-");
  return (row) => start + row.toString(16).padStart(10, "0");
}
