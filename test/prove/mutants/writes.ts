import { faults } from "./mutant.ts";

/** Faults in dry runs, upserts and batches. */
export const writes = [
  ...faults("lib/api/run-endpoint.ts", "dry-run", [
    ["a dry run that writes", "endpoint, request, overlayStorage);", "endpoint, request);"],
  ]),
  ...faults("lib/storage/overlay.ts", "overlay-storage", [
    [
      "an overlay that shows part of a failed commit",
      "const applied = new OverlayStorage(this);",
      "const applied = this;",
    ],
    [
      "an overlay whose clock stays at the time of the first commit",
      "this.#clocks.set(tenant, last)",
      "this.#clocks.set(tenant, 0)",
    ],
    [
      "an overlay that finds a record by its old value only",
      "addTo(index, this.#keyOf(record, field), record.id);\n    }\n  }",
      "if (before === undefined) addTo(index, this.#keyOf(record, field), record.id);\n    }\n  }",
    ],
  ]),
  ...faults("lib/api/preferences.ts", "dry-run", [
    ["a misspelled dry run that writes", "/^dry[-_ ]?run\\b/i", "/^dry-run$/i"],
  ]),
  ...faults("lib/api/upsert.ts", "upsert", [
    [
      "an upsert with a random ID",
      "const newId = id === undefined ? context.newId : () => id;",
      "const { newId } = context;",
    ],
    [
      "an upsert that doesn't match again after a conflict",
      "last?.field !== field || last.id !== id",
      "false",
      "upsert-races",
    ],
    ["an upsert that takes the first of two matches", "if (matches.length > 1) throw", "if (matches.length > 2) throw"],
  ]),
  ...faults("lib/api/batch.ts", "batch", [
    [
      "a batch that commits a failed operation",
      "if (writtenIds.some((each) => written.has(each))) return { error: twiceInBatch(kind) };",
      "",
    ],
    ["a batch that takes an ID in capitals for another one", "written.has(id.toLowerCase())", "written.has(id)"],
    ["a batch that reports an unchanged record as updated", 'writes.length > 0 ? "updated" : "unchanged"', '"updated"'],
    ["a batch without 207", "failures > 0 ? 207 : 200", "200"],
    [
      "an atomic batch that commits the rest",
      "if (atomic && failures > 0) throw",
      "if (atomic && failures === outcomes.length) throw",
    ],
    ["a batch that fails for a value that another request has taken", "isRetryable: () => true,", ""],
  ]),
];
