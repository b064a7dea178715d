import type { Kind } from "../model/kinds.ts";
import type { BaseRecord } from "../model/model.ts";
import type { Write } from "../storage/storage.ts";

/** Returns the write of a new version of a record. */
export function updateWrite(kind: Kind, before: BaseRecord, after: BaseRecord, at: number): Write {
  return {
    op: "update",
    kind,
    record: { ...after, updatedAt: at },
    expectedUpdatedAt: before.updatedAt,
    before,
  } as unknown as Write;
}
