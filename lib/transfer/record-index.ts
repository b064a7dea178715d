import { normalizeEmail, normalizeName } from "../model/normalize.ts";

/** A record that a cell can name. */
export type Named = {
  readonly id: string;
  readonly name?: string;
  readonly email?: string | null;
  readonly externalId?: string | null;
  readonly pipelineId?: string;
};

/** Returns for each value the records that have it in the field, as the API compares them. */
export function matchRecords(
  records: readonly Named[],
  field: string,
  values: readonly string[],
): readonly (readonly Named[])[] {
  const normalize = normalizers[field] ?? String;
  const byKey = Map.groupBy(records, (record) => {
    const value = (record as Readonly<Record<string, unknown>>)[field];
    return typeof value === "string" ? normalize(value) : undefined;
  });
  return values.map((value) => byKey.get(normalize(value)) ?? []);
}

const normalizers: Readonly<Record<string, (value: string) => string>> = {
  id: (id) => id.toLowerCase(),
  email: normalizeEmail,
  name: normalizeName,
};
