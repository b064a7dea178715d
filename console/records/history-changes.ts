import { referenceKinds } from "../names.ts";
import { fieldLabel, texts, valueLabel } from "../texts.ts";
import { formatTime } from "../ui/date-text.ts";
import { describeDraft } from "../ui/describe-draft.ts";
import { type FieldSpec, toDraft, valueAt } from "../ui/field-spec.ts";
import { type CrmRecord, formatAmount } from "./record-columns.tsx";

/** An event in the history of a record. */
export type HistoryEvent = {
  readonly id: string;
  readonly type: string;
  readonly updatedAt: string;
  readonly changed: readonly string[] | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly integrationId: string | null;
  readonly userId: string | null;
};

/** A field that an event has changed, with the former and the new value in words. */
export type Change = { readonly label: string; readonly former: string; readonly next: string };

type Names = ReadonlyMap<string, string>;
/** Returns the value of a field in one version of a record. */
type Version = (name: string) => unknown;

/** A former value that the event doesn't have, because it is too long. */
const omitted = Symbol("omitted");
/** The maximum number of characters of a value that are shown. */
const maxShown = 300;
const customPrefix = "customFields.";

/**
 * Returns the changes of each event. The new value of a field is the former value in the next newer event that has
 * changed it, or the value of the record.
 * @param events newest first, from the version that the record has
 */
export function describeEvents(
  record: CrmRecord,
  events: readonly HistoryEvent[],
  fields: readonly FieldSpec[],
  names: Names,
): readonly { readonly event: HistoryEvent; readonly changes: readonly Change[] }[] {
  const former = new Map<string, unknown>();
  return events.map((event) => {
    const newer = new Map(former);
    const changed = event.changed ?? [];
    for (const name of changed)
      former.set(name, event.before && Object.hasOwn(event.before, name) ? event.before[name] : omitted);
    const older = new Map(former);
    const versions = [older, newer].map((values) => versionOf(record, values)) as [Version, Version];
    return { event, changes: linesOf(changed, fields, versions, names) };
  });
}

function versionOf(record: CrmRecord, values: ReadonlyMap<string, unknown>): Version {
  return (name) => {
    if (values.has(name)) return values.get(name);
    if (!name.startsWith(customPrefix)) return record[name];
    const custom = (record.customFields ?? {}) as Readonly<Record<string, unknown>>;
    const key = name.slice(customPrefix.length);
    return Object.hasOwn(custom, key) ? custom[key] : null;
  };
}

function linesOf(
  changed: readonly string[],
  fields: readonly FieldSpec[],
  [older, newer]: readonly [Version, Version],
  names: Names,
): readonly Change[] {
  // The form has the options of a list and their labels in one field. The type of the event says that it is archived.
  const shown = new Set(changed.map((name) => (name === "optionLabels" ? "options" : name)));
  shown.delete("archivedAt");
  return [...shown].flatMap((name) => {
    const [from, to] = [older(name), newer(name)];
    const members = fields.filter(({ path }) => path.startsWith(`/${name}/`));
    if (members.length > 0 && from !== omitted && to !== omitted)
      return members.flatMap((field) => {
        const [memberFrom, memberTo] = [from, to].map((value) => valueAt({ [name]: value }, field.path));
        if (JSON.stringify(memberFrom ?? null) === JSON.stringify(memberTo ?? null)) return [];
        const describe = (value: unknown) => describeValue(field.path, field, value, newer, names);
        return [{ label: field.label, former: describe(memberFrom), next: describe(memberTo) }];
      });
    const field = fields.find(({ path }) => path === `/${name.replace(".", "/")}`);
    const label = field?.label ?? fieldLabel(name.replace(customPrefix, ""));
    const describe = (value: unknown, version: Version) => describeValue(name, field, value, version, names);
    return [{ label, former: describe(from, older), next: describe(to, newer) }];
  });
}

/** Describes a value in words. `version` has the other fields at that time. */
function describeValue(
  name: string,
  field: FieldSpec | undefined,
  value: unknown,
  version: Version,
  names: Names,
): string {
  if (value === omitted) return texts.history.omitted;
  const isEmpty = value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
  return isEmpty ? texts.form.empty : shorten(describeFilled(name, field, value, version, names));
}

function describeFilled(
  name: string,
  field: FieldSpec | undefined,
  value: unknown,
  version: Version,
  names: Names,
): string {
  const list = [value].flat();
  if (field?.kind ?? referenceKinds[name]) return list.map((id) => names.get(String(id)) ?? String(id)).join(", ");
  if (name === "amount") return formatAmount(Number(value), version("currency"));
  if (name === "status" || name === "priority") return valueLabel(String(value));
  if (field?.input === "date-time" || /^\w+At$/.test(name)) return formatTime(String(value));
  if (field?.input === "related-to") return describeRelated(value, names);
  if (field?.input === "rows") return list.map((option) => describeOption(option, version("optionLabels"))).join(", ");
  if (field?.input === "lines") return list.join(", ");
  if (field === undefined) return typeof value === "object" ? JSON.stringify(value) : String(value);
  const { amount, currency } = Object(value);
  if (field.input === "currency" && typeof amount === "number") return formatAmount(amount, currency);
  return describeDraft(field, toDraft(field, value), names);
}

function describeRelated(value: unknown, names: Names): string {
  const { type, id } = value as { readonly type: string; readonly id: string };
  const kinds: Readonly<Record<string, string>> = texts.kinds;
  return `${kinds[type] ?? type}: ${names.get(id) ?? id}`;
}

function describeOption(option: unknown, labels: unknown): string {
  const name = String(option);
  const label = Object.hasOwn(Object(labels), name) ? Object(labels)[name] : undefined;
  return label === undefined ? name : `${name} (${label})`;
}

function shorten(text: string): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

/** Returns the IDs of the records of one kind that the values of these events refer to. */
export function referencedIds(record: CrmRecord, events: readonly HistoryEvent[], kind: string): readonly string[] {
  const ids = new Set<string>();
  for (const { changed, before } of events)
    for (const name of changed ?? [])
      for (const value of [before?.[name], record[name]].flat()) {
        if (typeof value === "string" && referenceKinds[name] === kind) ids.add(value);
        const { type, id } = Object(value);
        if (name === "relatedTo" && type === kind) ids.add(id);
      }
  return [...ids];
}
