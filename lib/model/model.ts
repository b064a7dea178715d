import type * as v from "valibot";
import { formatDateTime } from "./time.ts";

/** How a value is kept: `instant` is whole milliseconds since 1970, `json` is text, `links` is a table of ids beside it. */
export type ColumnType = "text" | "integer" | "real" | "boolean" | "timestamp" | "json" | "links";

/** One column, or an object that is null as a whole or has a column for each of its members. */
export type Column = ColumnType | Readonly<Record<string, ColumnType>>;

/** What one field of a record is: its shape on the wire, its column, and the rules that need no other record. */
export type Field = {
  /** From the wire to the value that is kept. Null is said here where it is allowed. */
  readonly schema: v.GenericSchema;
  /** `text` where nothing is said. */
  readonly column?: Column;
  /** Must be in a POST. Every other field gets `default`, or null. */
  readonly required?: true;
  readonly default?: unknown;
  /** Set by the service; a caller may send it back unchanged. */
  readonly readOnly?: true;
  /** Never shown. */
  readonly hidden?: true;
  /** The records whose ids the value holds. */
  readonly reference?: ReferenceKind;
  /** Taken at most once among the records that are not archived, compared after this folding. */
  readonly unique?: (value: string) => string;
};

/** A kind, or where the value itself says the kind: `{ type, id }`. */
export type ReferenceKind = string;
export const polymorphic = "type";

export type Fields = Readonly<Record<string, Field>>;

/** A kind of record as data: storages make their statements from it, endpoints their schemas, answers their JSON. */
export type Model<Kind extends string = string, F extends Fields = Fields, Plural extends string = string> = {
  readonly kind: Kind;
  /** The table, and the path segment where the kind has one. */
  readonly plural: Plural;
  readonly fields: F;
  /** What the API's description says of it, for kinds that the API shows. */
  readonly words?: Descriptions<keyof F & string>;
};

/** A sentence about the kind, and one about each of its fields: what null means, units, limits, who sets it. */
export type Descriptions<Names extends string = string> = {
  readonly about: string;
  readonly fields: { readonly [name in Names]?: string };
};

/** What every record has. Times are milliseconds since 1970; `updatedAt` is the record's version. */
export type BaseRecord = {
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly archivedAt: number | null;
};

/** The stored form of a model's records. */
export type RecordOf<M> =
  M extends Model<string, infer F> ? BaseRecord & { readonly [K in keyof F]: v.InferOutput<F[K]["schema"]> } : never;

export function model<const Kind extends string, const Plural extends string, const F extends Fields>(
  kind: Kind,
  plural: Plural,
  fields: F,
  about?: string,
  words?: Readonly<Record<keyof F & string, string>>,
): Model<Kind, F, Plural> {
  if (about === undefined || words === undefined) return { kind, plural, fields };
  return { kind, plural, fields, words: { about, fields: words } };
}

/** What is said of fields that several kinds have in the same way. */
export const commonDescriptions = {
  ownerId: "The user who looks after it. Left out of a POST: the tenant's oldest active administrator. Null: nobody.",
  externalId: "What it is called in your own system. Not checked for uniqueness; lists can be filtered by it.",
  customFields:
    "The tenant's own fields, by the key that GET /custom-fields gives. A PATCH merges key by key; null removes a value.",
} as const;

/** The record as its JSON shows it: hidden fields left out, times as text, `archivedAt` only where there is one. */
export function toJsonObject(model: Model, record: BaseRecord): Record<string, unknown> {
  const shown: Record<string, unknown> = { id: record.id };
  const values = record as unknown as Readonly<Record<string, unknown>>;
  for (const [name, field] of Object.entries(model.fields)) {
    if (field.hidden !== true) shown[name] = field.column === "timestamp" ? formatDateTime(values[name]) : values[name];
  }
  shown.createdAt = formatDateTime(record.createdAt);
  shown.updatedAt = formatDateTime(record.updatedAt);
  if (record.archivedAt !== null) shown.archivedAt = formatDateTime(record.archivedAt);
  return shown;
}

/** The values of a record by field name. */
export type FieldValues = Readonly<Record<string, unknown>>;
