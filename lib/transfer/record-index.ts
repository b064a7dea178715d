import { normalizeEmail, normalizeName } from "../model/normalize.ts";

/** A record that a cell can name. */
export type Named = {
  readonly id: string;
  readonly name?: string;
  readonly email?: string | null;
  readonly externalId?: string | null;
  readonly pipelineId?: string;
};

/** Finds records by their values as the API compares them. */
export class RecordIndex {
  readonly #records = new Map<string, Named[]>();

  constructor(records: readonly Named[], fields: readonly string[]) {
    for (const record of records) {
      for (const field of fields) {
        const value = (record as Readonly<Record<string, unknown>>)[field];
        if (typeof value !== "string") continue;
        const key = keyOf(field, value);
        const same = this.#records.get(key);
        if (same === undefined) this.#records.set(key, [record]);
        else same.push(record);
      }
    }
  }

  /** Returns for each value the records that have it in the field. */
  find(field: string, values: readonly string[]): readonly (readonly Named[])[] {
    return values.map((value) => this.#records.get(keyOf(field, value)) ?? []);
  }
}

function keyOf(field: string, value: string): string {
  const normalize = field === "email" ? normalizeEmail : field === "name" ? normalizeName : String;
  return `${field} ${normalize(value)}`;
}
