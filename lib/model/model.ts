import type * as v from "valibot";
import { formatDateTime } from "./date-time.ts";

/**
 * How a value is stored. A `timestamp` is in milliseconds since 1970, `json` is text, and `links` is a separate table
 * of IDs.
 */
export type ColumnType = "text" | "integer" | "real" | "boolean" | "timestamp" | "json" | "links";

/** One column, or a column for each member of an object. If the object is null, all its columns are. */
export type Column = ColumnType | Readonly<Record<string, ColumnType>>;

/** A field of a record: its JSON, its column, and the constraints that need no other record. */
export type Field = {
  /** Parses the JSON value into the stored value. It is nullable if the field can be null. */
  readonly schema: v.GenericSchema;
  /** Parses the members that a PATCH merges into the stored object. Absent if a PATCH replaces the value. */
  readonly changes?: v.GenericSchema;
  /** The default is `text`. */
  readonly column?: Column;
  /** Required in a POST. The value of any other field defaults to `default`, or null. */
  readonly required?: true;
  readonly default?: unknown;
  /** Set by the server. A PATCH may contain the unchanged value. `update`: a POST may set it. */
  readonly readOnly?: true | "update";
  /** Never part of a response. */
  readonly hidden?: true;
  /** The kind of the records whose IDs the value contains. */
  readonly reference?: ReferenceKind;
  /** Unique among the records that aren't archived. The function normalizes values before they are compared. */
  readonly unique?: (value: string) => string;
  /**
   * The field whose value duplicates share as well, such as the pipeline of a stage. Without it, values are unique in
   * the tenant.
   */
  readonly uniqueWithin?: string;
  /** A phone number, which lists compare by its digits. See `matchesPhone`. */
  readonly isPhone?: true;
};

/** A kind, or `polymorphic` for a value that contains the kind: `{ type, id }`. */
export type ReferenceKind = string;
export const polymorphic = "type";

export type Fields = Readonly<Record<string, Field>>;

/** A kind of record as data. Statements, schemas and JSON are derived from it. */
export type Model<Kind extends string = string, F extends Fields = Fields, Plural extends string = string> = {
  readonly kind: Kind;
  /** The name of the table, and the path segment if the kind has endpoints. */
  readonly plural: Plural;
  readonly fields: F;
  /** Descriptions for the OpenAPI document. Absent if the API doesn't show the kind. */
  readonly descriptions?: Descriptions<keyof F & string>;
};

/** A sentence about the kind and one about each field: units, limits, defaults. */
export type Descriptions<Names extends string = string> = {
  readonly about: string;
  readonly fields: { readonly [name in Names]?: string };
};

/** The fields of every record. Times are in milliseconds since 1970. `updatedAt` is the version of the record. */
export type BaseRecord = {
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly archivedAt: number | null;
};

/** The stored record of a model. */
export type RecordOf<M> =
  M extends Model<string, infer F> ? BaseRecord & { readonly [K in keyof F]: v.InferOutput<F[K]["schema"]> } : never;

/** Creates a model. */
export function model<const Kind extends string, const Plural extends string, const F extends Fields>(
  kind: Kind,
  plural: Plural,
  fields: F,
  about?: string,
  fieldDescriptions?: Readonly<Record<keyof F & string, string>>,
): Model<Kind, F, Plural> {
  if (about === undefined || fieldDescriptions === undefined) return { kind, plural, fields };
  return { kind, plural, fields, descriptions: { about, fields: fieldDescriptions } };
}

/** Descriptions of fields that several kinds have. */
export const commonDescriptions = {
  ownerId: "ID of the user who owns the record. Defaults to the tenant's oldest active admin.",
  externalId: "ID of the record in your system. Doesn't have to be unique. Lists can filter by it.",
  customFields:
    "Custom field values by key (see `GET /custom-fields`). Updates merge by key, and `null` removes a value.",
} as const;

/** Returns the record as in a response: without hidden fields, times as text, `archivedAt` only if it is archived. */
export function toJsonObject(model: Model, record: BaseRecord): Record<string, unknown> {
  const json: Record<string, unknown> = { id: record.id };
  const values = record as unknown as Readonly<Record<string, unknown>>;
  for (const [name, field] of Object.entries(model.fields)) {
    if (field.hidden !== true) json[name] = field.column === "timestamp" ? formatDateTime(values[name]) : values[name];
  }
  json.createdAt = formatDateTime(record.createdAt);
  json.updatedAt = formatDateTime(record.updatedAt);
  if (record.archivedAt !== null) json.archivedAt = formatDateTime(record.archivedAt);
  return json;
}

/** The values of a record by field name. */
export type FieldValues = Readonly<Record<string, unknown>>;
