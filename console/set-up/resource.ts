import type { ComponentChildren } from "preact";
import { type Query, read, readAll } from "../api.ts";
import { language } from "../language.ts";
import type { CrmRecord } from "../records/record-columns.tsx";
import type { Session } from "../session.tsx";
import type { texts } from "../texts.ts";
import type { ConflictLinks } from "../ui/conflict-notice.tsx";
import type { FieldSpec, Option } from "../ui/field-spec.ts";
import type { ShowMessage } from "../ui/notice.tsx";
import type { Column } from "../ui/table.tsx";
import type { Tab } from "../ui/tabs.tsx";

/** The lists of the set-up, by the names of their endpoints. */
export type ListName = keyof typeof texts.setUp.kinds;

/** Other records that a screen shows or offers. Archived ones are included. */
export type Context = {
  readonly lists: Readonly<Partial<Record<ListName, readonly CrmRecord[]>>>;
  /** Fields that a rule can require, by entity. */
  readonly ruleFields: Readonly<Record<string, readonly Option[]>>;
};

export const noContext: Context = { lists: {}, ruleFields: {} };

/** Reads whole lists of the set-up. */
export async function readLists(names: readonly ListName[], signal: AbortSignal): Promise<Context> {
  const entries = await Promise.all(
    names.map(async (name) => [name, await readAll<CrmRecord>(`api/admin/${name}`, { includeArchived: true }, signal)]),
  );
  return { ...noContext, lists: Object.fromEntries(entries) };
}

export type ExtraProps = {
  readonly record: CrmRecord;
  readonly session: Session;
  /** Reads the record again. The form keeps what the user has entered. */
  onChanged(): void;
  /** Shows a message above the record, or removes it. */
  onMessage: ShowMessage;
};

type TabParts = Omit<ExtraProps, "onMessage"> & {
  /** Returns the form with the fields at these paths. */
  form(paths: readonly string[]): ComponentChildren;
  readonly history: ComponentChildren;
};

/** How the console shows and changes one kind of set-up records. */
export type Resource = {
  readonly name: ListName;
  /** Path of the list in the console. */
  readonly route: readonly string[];
  /** Path of the screen that the link back leads to. The default is the list. */
  readonly parent?: readonly string[];
  /** Filters of the list, and values of a new record. */
  readonly fixed?: Readonly<Record<string, string>>;
  load?(signal: AbortSignal): Promise<Context>;
  nameOf(record: CrmRecord, context: Context): string;
  /** Sorts the list, if not by the name. */
  readonly compare?: (a: CrmRecord, b: CrmRecord) => number;
  /** The columns after the name. */
  columns(context: Context): readonly Column<CrmRecord>[];
  /** Returns the fields of the form. `value` returns what the user has entered at a path. */
  fields(value: (path: string) => unknown, context: Context): readonly FieldSpec[];
  /** Values of the form for a new record. */
  initial?(query: URLSearchParams, context: Context): Readonly<Record<string, unknown>>;
  /** Converts a record to the values of the form. */
  toForm?(record: CrmRecord): Readonly<Record<string, unknown>>;
  /** Converts the values of the form to the body of the request. */
  toBody?(values: Record<string, unknown>, record: CrmRecord | undefined): Record<string, unknown>;
  /** Whether `toBody` adds the version of the record, because the endpoint doesn't take If-Match. */
  readonly versionInBody?: boolean;
  /** Returns the query of GET /admin/impact if the change requires a field. */
  impactQuery?(body: Record<string, unknown>, record: CrmRecord | undefined): Query | undefined;
  /** Returns the field that the record makes in a form. */
  preview?(value: (path: string) => unknown): FieldSpec;
  /** A warning above the form. */
  note?(record: CrmRecord, session: Session): string | undefined;
  /** The tabs of an existing record, in place of the form, the section below it and the history. */
  readonly tabs?: (parts: TabParts) => readonly Tab[];
  /** The section above the form of a record that isn't archived, in place of the values that can't change. */
  readonly Head?: (props: ExtraProps & { readonly context: Context }) => ComponentChildren;
  /** Shown once for a new record, before its screen. */
  readonly Created?: (props: { readonly record: CrmRecord; onClose(): void }) => ComponentChildren;
  /** The section below the form of an existing record. */
  readonly Extra?: (props: ExtraProps) => ComponentChildren;
};

/** Returns the URL of a record below the console. */
export function urlOf({ name }: Resource, id?: string): string {
  return `api/admin/${name}${id === undefined ? "" : `/${encodeURIComponent(id)}`}`;
}

/** Returns where a conflict of a record leads. */
export function conflictLinks({ name, route }: Resource, id?: string): ConflictLinks {
  const filter = name === "stages" ? "stageId" : "pipelineId";
  return { route, ...(id !== undefined && { users: { [filter]: id } }) };
}

export function readRecord(resource: Resource, id: string, signal: AbortSignal): Promise<CrmRecord> {
  return read(urlOf(resource, id), { query: { includeArchived: true }, signal });
}

export const byText =
  (...fields: readonly (string | ((record: CrmRecord) => unknown))[]) =>
  (a: CrmRecord, b: CrmRecord): number => {
    for (const field of fields) {
      const textOf = (record: CrmRecord) => String((typeof field === "string" ? record[field] : field(record)) ?? "");
      const order = textOf(a).localeCompare(textOf(b), language, { numeric: true });
      if (order !== 0) return order;
    }
    return a.id < b.id ? -1 : 1;
  };

/** Returns the text for a value of the API, or the value itself. */
export function textFor(labels: Readonly<Record<string, string>>, value: unknown): string {
  return labels[String(value)] ?? String(value ?? "–");
}
