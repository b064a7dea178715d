// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { fault } from "./mutant.ts";

const seenBy = ["sqlite-storage", "lists", "lists-resume"];

/** A sync never misses a record. */
export const sync = [
  fault(
    "stamps of the wall clock",
    "lib/storage/sqlite/transaction-runner.ts",
    "Math.max(now, last + 1)",
    "now",
    seenBy,
  ),
  fault(
    "a commit time that isn't stored",
    "lib/storage/sqlite/transaction-runner.ts",
    ".run(tenant, clock, ",
    ".run(tenant, 0, ",
    seenBy,
  ),
  fault("two commits of one instant", "lib/storage/sqlite/transaction-runner.ts", "last + 1", "last", seenBy),
  fault(
    "an instant that another process had",
    "lib/storage/sqlite/transaction-runner.ts",
    "at <= Number(last)",
    "false",
    ["sqlite-synced"],
  ),
  fault(
    "a change that lists do not show",
    "lib/storage/sqlite/transaction-runner.ts",
    '`"${name}" = ?`',
    '(name === "json" ? "json = coalesce(json, ?)" : `"${name}" = ?`)',
    ["sqlite-storage"],
  ),
  fault(
    "commits of one transaction at one instant",
    "lib/storage/sqlite/commit-queue.ts",
    "clocks.set(tenant, clock);",
    "",
    ["sqlite-batches"],
  ),
  fault(
    "updatedSince exclusive",
    "lib/storage/sql/select.ts",
    '{ updatedAt: updatedSince, id: "" }',
    '{ updatedAt: updatedSince, id: "~" }',
    seenBy,
  ),
  fault(
    "the place of a page compared by time alone",
    "lib/storage/sql/select.ts",
    "(${hide(position.updatedAt)}, ${position.id}) > (?, ?)",
    "${position.updatedAt} > ? AND '' <> ?",
    seenBy,
  ),
  fault(
    "no row more than the limit",
    "lib/api/read-page.ts",
    "const rowLimit = limit + 1;",
    "const rowLimit = limit;",
    seenBy,
  ),
  fault("a page of any size", "lib/api/read-page.ts", "if (fitting < records.length) return", "if (false) return", [
    "lists-long-records",
  ]),
  fault(
    "a page that forgets what did not fit",
    "lib/api/read-page.ts",
    "return page(fitting, true);",
    "return page(fitting, false);",
    ["lists-long-records"],
  ),
  fault(
    "a record twice on one page",
    "lib/api/read-page.ts",
    "withoutOlderVersions([...records, ...batch])",
    "[...records, ...batch]",
    ["lists-long-records"],
  ),
  fault(
    "a cursor of any filter",
    "lib/api/cursor.ts",
    "hashes[name] === undefined ? filters[name] !== value : hashes[name] !== hashOf(value)",
    "false",
    seenBy,
  ),
  fault(
    "a watermark of the wall clock",
    "lib/api/list-endpoint.ts",
    "Number(page.position?.key ?? position?.key ?? 0)",
    "Date.now()",
    seenBy,
  ),
  fault(
    "a cursor that is not signed",
    "lib/api/cursor.ts",
    "timingSafeEqual(mac, sign(secret, scope, payload))",
    "true",
    ["lists", "prove/bad-input-cursors"],
  ),
  fault(
    "a list without what was archived",
    "lib/storage/sql/select.ts",
    "shape.includeArchived ? [0, 1] : [0]",
    "[0]",
    seenBy,
  ),
  fault(
    "a watermark that is too late",
    "lib/api/list-endpoint.ts",
    "? updatedSince : past",
    "? updatedSince : updatedSince",
    ["lists-resume"],
  ),
  fault(
    "a watermark that goes back",
    "lib/api/list-endpoint.ts",
    "(await storage.list(tenantId, kind, query)).length > 0",
    "false",
    ["lists-resume"],
  ),
  fault("a cursor of any length", "lib/api/cursor.ts", "payload.length > maxBytes", "payload.length < 0", ["cursors"]),
  fault("a link without the filter it needs", "lib/api/list-endpoint.ts", "omittedFilters.map(", "[].map(", [
    "cursors",
  ]),
];
