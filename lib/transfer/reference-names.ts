import type { ApiRecord } from "./api-requests.ts";
import { type ColumnTarget, isReference } from "./column-target.ts";
import { lookupFieldsOf, smallKinds } from "./entities.ts";
import type { Named } from "./record-index.ts";
import type { RecordFinder } from "./reference-resolver.ts";

/** Size of the cache, so that memory use doesn't depend on the size of the export. */
const maxCachedNames = 10_000;

/** Replaces IDs by names. Keeps the ID of a record that is archived or has no name. */
export class ReferenceNames {
  readonly #find: RecordFinder;
  readonly #names = new Map<string, string>();

  constructor(find: RecordFinder) {
    this.#find = find;
  }

  /** Finds the names of all references of these records, so that `replace` knows them. */
  async load(records: readonly ApiRecord[], targets: readonly ColumnTarget[]): Promise<void> {
    if (this.#names.size >= maxCachedNames) this.#names.clear();
    const references = targets.filter(isReference).flatMap((target) =>
      records.flatMap((record) => {
        const ids = [targetValue(record, target)].flat().filter((id) => typeof id === "string");
        return ids.map((id) => ({ kind: kindOf(target, record), id }));
      }),
    );
    const missing = references.filter(({ kind, id }) => !this.#names.has(kind + id));
    for (const [kind, same] of Map.groupBy(missing, (each) => each.kind))
      await this.#loadNames(kind, [...new Set(same.map(({ id }) => id))]);
  }

  async #loadNames(kind: string, ids: readonly string[]): Promise<void> {
    const isSmall = smallKinds.includes(kind);
    const found = isSmall ? await this.#find.all(kind) : (await this.#find.by(kind, "id", ids)).flat();
    for (const id of ids) this.#names.set(kind + id, id);
    for (const record of found) this.#names.set(kind + record.id, nameOf(kind, record) ?? record.id);
  }

  /** Returns the value of a target, with names in place of IDs. */
  replace(target: ColumnTarget, record: ApiRecord): unknown {
    const value = targetValue(record, target);
    if (!isReference(target)) return value;
    const kind = kindOf(target, record);
    const replaceOne = (id: unknown): unknown => (typeof id === "string" ? (this.#names.get(kind + id) ?? id) : id);
    return Array.isArray(value) ? value.map(replaceOne) : replaceOne(value);
  }
}

/** Returns the value of a target. */
export function targetValue(record: ApiRecord, { field, member }: ColumnTarget): unknown {
  return member === undefined ? record[field] : memberOf(record[field], member);
}

function kindOf({ field, kind }: ColumnTarget, record: ApiRecord): string {
  return field === "relatedTo" ? String(memberOf(record.relatedTo, "type")) : (kind ?? "");
}

function memberOf(value: unknown, member: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, member)) return undefined;
  return (value as ApiRecord)[member];
}

/** Returns a value by which an import can find the record. A user's name isn't unique, so only the email address is. */
function nameOf(kind: string, record: Named): string | undefined {
  const fields = kind === "user" ? ["email"] : lookupFieldsOf(kind);
  const values = record as unknown as Readonly<Record<string, string | null | undefined>>;
  return fields.map((field) => values[field]).find((value) => value) ?? undefined;
}
