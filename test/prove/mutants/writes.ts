import { fault } from "./mutant.ts";

/** Faults in dry runs, upserts and batches. */
export const writes = [
  fault(
    "a dry run that writes",
    "lib/api/run-endpoint.ts",
    "endpoint, request, overlayStorage);",
    "endpoint, request);",
    ["dry-run"],
  ),
  fault(
    "an overlay that shows part of a failed commit",
    "lib/storage/overlay.ts",
    "const applied = new OverlayStorage(this);",
    "const applied = this;",
    ["overlay-storage"],
  ),
  fault(
    "an overlay whose clock stays at the time of the first commit",
    "lib/storage/overlay.ts",
    "this.#clocks.set(tenant, last)",
    "this.#clocks.set(tenant, 0)",
    ["overlay-storage"],
  ),
  fault(
    "an overlay that finds a record by its old value only",
    "lib/storage/overlay.ts",
    "addTo(index, this.#keyOf(record, field), record.id);\n    }\n  }",
    "if (before === undefined) addTo(index, this.#keyOf(record, field), record.id);\n    }\n  }",
    ["overlay-storage"],
  ),
  fault("a misspelled dry run that writes", "lib/api/preferences.ts", "/^dry[-_ ]?run\\b/i", "/^dry-run$/i", [
    "dry-run",
  ]),
  fault(
    "an upsert with a random ID",
    "lib/api/upsert.ts",
    "const newId = id === undefined ? context.newId : () => id;",
    "const { newId } = context;",
    ["upsert"],
  ),
  fault(
    "an upsert that doesn't match again after a conflict",
    "lib/api/upsert.ts",
    "last?.field !== field || last.id !== id",
    "false",
    ["upsert-races"],
  ),
  fault(
    "an upsert that takes the first of two matches",
    "lib/api/upsert.ts",
    "if (matches.length > 1) throw",
    "if (matches.length > 2) throw",
    ["upsert"],
  ),
  fault(
    "a batch that commits a failed operation",
    "lib/api/batch.ts",
    "if (writtenIds.some((each) => written.has(each))) return { error: twiceInBatch(kind) };",
    "",
    ["batch"],
  ),
  fault(
    "a batch that takes an ID in capitals for another one",
    "lib/api/batch.ts",
    "written.has(id.toLowerCase())",
    "written.has(id)",
    ["batch"],
  ),
  fault(
    "a batch that reports an unchanged record as updated",
    "lib/api/batch.ts",
    'writes.length > 0 ? "updated" : "unchanged"',
    '"updated"',
    ["batch"],
  ),
  fault("a batch without 207", "lib/api/batch.ts", "failures > 0 ? 207 : 200", "200", ["batch"]),
  fault(
    "an atomic batch that commits the rest",
    "lib/api/batch.ts",
    "if (atomic && failures > 0) throw",
    "if (atomic && failures === outcomes.length) throw",
    ["batch"],
  ),
  fault(
    "a batch that fails for a value that another request has taken",
    "lib/api/batch.ts",
    "isRetryable: () => true,",
    "",
    ["batch"],
  ),
];
