// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { faults } from "./mutant.ts";

const seenBy = ["sqlite-storage", "lists", "lists-resume"];

/** A sync never misses a record. */
export const sync = [
  ...faults("lib/storage/sqlite/transaction-runner.ts", seenBy, [
    ["stamps of the wall clock", "Math.max(now, last + 1)", "now"],
    ["a commit time that isn't stored", ".run(tenant, clock, ", ".run(tenant, 0, "],
    ["two commits of one instant", "last + 1", "last"],
    ["an instant that another process had", "at <= Number(last)", "false", "sqlite-synced"],
    [
      "a change that lists do not show",
      '`"${name}" = ?`',
      '(name === "json" ? "json = coalesce(json, ?)" : `"${name}" = ?`)',
      "sqlite-storage",
    ],
  ]),
  ...faults("lib/storage/sqlite/commit-queue.ts", "sqlite-batches", [
    ["commits of one transaction at one instant", "clocks.set(tenant, clock);", ""],
  ]),
  ...faults("lib/storage/sql/select.ts", seenBy, [
    ["updatedSince exclusive", '{ updatedAt: updatedSince, id: "" }', '{ updatedAt: updatedSince, id: "~" }'],
    [
      "the position of a page compared by time alone",
      "(${hide(position.updatedAt)}, ${position.id}) > (?, ?)",
      "${position.updatedAt} > ? AND '' <> ?",
    ],
    ["a list without what was archived", "shape.includeArchived ? [0, 1] : [0]", "[0]"],
  ]),
  ...faults("lib/api/read-page.ts", "lists-long-records", [
    ["no row more than the limit", "const rowLimit = limit + 1;", "const rowLimit = limit;", seenBy],
    ["a page of any size", "if (fitting < records.length) return", "if (false) return"],
    ["a page that forgets what did not fit", "return page(fitting, true);", "return page(fitting, false);"],
    ["a record twice on one page", "withoutOlderVersions([...records, ...batch])", "[...records, ...batch]"],
  ]),
  ...faults("lib/api/cursor.ts", seenBy, [
    [
      "a cursor of any filter",
      "hashes[name] === undefined ? filters[name] !== value : hashes[name] !== hashOf(value)",
      "false",
    ],
    [
      "a cursor that is not signed",
      "timingSafeEqual(mac, sign(secret, scope, payload))",
      "true",
      ["lists", "prove/bad-input-cursors"],
    ],
    ["a cursor of any length", "payload.length > maxBytes", "payload.length < 0", "cursors"],
  ]),
  ...faults("lib/api/list-endpoint.ts", "lists-resume", [
    ["a watermark of the wall clock", "Number(page.position?.key ?? position?.key ?? 0)", "Date.now()", seenBy],
    ["a watermark that is too late", "? updatedSince : past", "? updatedSince : updatedSince"],
    ["a watermark that goes back", "(await storage.list(tenantId, kind, query)).length > 0", "false"],
    ["a link without the filter it needs", "omittedFilters.map(", "[].map(", "cursors"],
  ]),
];
