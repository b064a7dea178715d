import type { ComponentChildren } from "preact";
import { entityLists } from "../entities.ts";
import { language } from "../language.ts";
import { collections, type Entity, nameOf, referenceKinds } from "../names.ts";
import { href } from "../route.ts";
import { fieldLabel } from "../texts.ts";
import { formatDate } from "../ui/date-text.ts";
import type { Column } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";
import { RelativeTime } from "../ui/time.tsx";
import type { ListField } from "./list-columns.tsx";

/** A record as the API returns it. */
export type CrmRecord = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly updatedAt: string;
  readonly archivedAt?: string | null;
};

/** Names of records by ID. */
type Names = Pick<ReadonlyMap<string, string>, "get">;

/** Returns the columns of a list of records: the name, then these fields. `names` has the names of related records by ID. */
export function recordColumns(
  entity: Entity,
  fields: readonly ListField[],
  names: Names,
): readonly Column<CrmRecord>[] {
  const nameField = { task: "title", note: "body" }[entity as string] ?? "name";
  const orderOf = (field: string) => (entityLists[entity].orders.includes(field) ? field : undefined);
  return [
    {
      label: fieldLabel(nameField),
      order: orderOf(nameField),
      render: (record) => <RecordLink entity={entity} record={record} />,
    },
    ...fields.map((field) => ({
      label: field.label,
      order: orderOf(field.name),
      isNumeric: field.name === "amount" || field.spec?.input === "number",
      render: (record: CrmRecord) => formatValue(field, record, names),
    })),
  ];
}

/** The reference of a task or a note. */
export type RelatedTo = { readonly type: Entity; readonly id: string };

type RelatedLinkProps = { readonly relatedTo: RelatedTo; readonly names: Names };

export function RelatedLink({ relatedTo: { type, id }, names }: RelatedLinkProps) {
  return (
    <a href={href([collections[type], id])} dir="auto">
      {names.get(id) ?? "…"}
    </a>
  );
}

export function RecordLink({ entity, record }: { readonly entity: Entity; readonly record: CrmRecord }) {
  return (
    <a href={href([collections[entity], record.id])} dir="auto">
      {nameOf(record)}
    </a>
  );
}

/** Shows a value of a record in a cell or a line. */
export function formatValue({ name, spec }: ListField, record: CrmRecord, names: Names): ComponentChildren {
  const value = name
    .split("/")
    .reduce<unknown>((part, member) => (part as Record<string, unknown> | null | undefined)?.[member], record);
  if (value === null || value === undefined || value === "") return "–";
  if (name === "relatedTo") return <RelatedLink relatedTo={value as RelatedTo} names={names} />;
  if (name === "amount") return formatAmount(Number(value), record.currency);
  if (name === "status" || name === "priority") return <Tag value={String(value)} />;
  if (referenceKinds[name] !== undefined) return names.get(String(value)) ?? "…";
  // Fields that the API sets, and those that are not loaded yet, have no spec.
  const input = spec?.input ?? (name.endsWith("At") ? "date-time" : name.endsWith("Date") ? "date" : undefined);
  if (input === "date-time") return <RelativeTime iso={String(value)} />;
  if (input === "date") return formatDate(String(value));
  if (input === "currency") {
    // The amount of a custom field can be without a currency.
    const { amount, currency } = (typeof value === "number" ? { amount: value } : value) as Amount;
    return formatAmount(amount, currency);
  }
  if (typeof value === "number") return value.toLocaleString(language, { maximumFractionDigits: 20 });
  const labels = [value]
    .flat()
    .map((each) => spec?.options?.find(({ value }) => value === each)?.label ?? String(each));
  return <bdi>{labels.join(", ")}</bdi>;
}

type Amount = { readonly amount: number; readonly currency?: string };

export function formatAmount(amount: number, currency: unknown): string {
  const minimumFractionDigits = Number.isInteger(amount) ? 0 : 2;
  const number = amount.toLocaleString(language, { minimumFractionDigits, maximumFractionDigits: 2 });
  return typeof currency === "string" ? `${number} ${currency}` : number;
}
