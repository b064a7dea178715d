import type { ComponentChildren } from "preact";
import { entityLists } from "../entities.ts";
import { language } from "../language.ts";
import { collections, type Entity, nameOf } from "../names.ts";
import { href } from "../route.ts";
import { fieldLabel } from "../texts.ts";
import type { Column } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";
import { formatDate, RelativeTime } from "../ui/time.tsx";

/** A record as the API returns it. */
export type CrmRecord = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly updatedAt: string;
  readonly archivedAt?: string | null;
};

/** Returns the columns of a list of records. `names` has the names of related records by ID. */
export function recordColumns(entity: Entity, names: ReadonlyMap<string, string>): readonly Column<CrmRecord>[] {
  const nameField = { task: "title", note: "body" }[entity as string] ?? "name";
  const orderOf = (field: string) => (entityLists[entity].orders.includes(field) ? field : undefined);
  return [
    {
      label: fieldLabel(nameField),
      order: orderOf(nameField),
      render: (record) => <RecordLink entity={entity} record={record} />,
    },
    ...entityLists[entity].columns.map((field) => ({
      label: fieldLabel(field),
      order: orderOf(field),
      isNumeric: field === "amount",
      render: (record: CrmRecord) => formatValue(field, record, names),
    })),
  ];
}

/** The reference of a task or a note. */
export type RelatedTo = { readonly type: Entity; readonly id: string };

type RelatedLinkProps = { readonly relatedTo: RelatedTo; readonly names: ReadonlyMap<string, string> };

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

function formatValue(field: string, record: CrmRecord, names: ReadonlyMap<string, string>): ComponentChildren {
  const value = record[field];
  if (value === null || value === undefined || value === "") return "–";
  if (field === "relatedTo") return <RelatedLink relatedTo={value as RelatedTo} names={names} />;
  if (field === "amount") return formatAmount(Number(value), record.currency);
  if (field.endsWith("At")) return <RelativeTime iso={String(value)} />;
  if (field.endsWith("Date")) return formatDate(String(value));
  if (field === "status" || field === "priority") return <Tag value={String(value)} />;
  if (field.endsWith("Id") || field === "assignedTo") return names.get(String(value)) ?? "…";
  return String(value);
}

export function formatAmount(amount: number, currency: unknown): string {
  const minimumFractionDigits = Number.isInteger(amount) ? 0 : 2;
  const number = amount.toLocaleString(language, { minimumFractionDigits, maximumFractionDigits: 2 });
  return typeof currency === "string" ? `${number} ${currency}` : number;
}
