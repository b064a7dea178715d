import type { ComponentChildren } from "preact";
import { entityLists } from "../entities.ts";
import { collections, type Entity, nameOf } from "../names.ts";
import { href } from "../route.ts";
import { fieldLabel, valueLabel } from "../texts.ts";
import type { Column } from "../ui/table.tsx";

/** A record as the API returns it. */
export type CrmRecord = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly updatedAt: string;
  readonly archivedAt?: string | null;
};

/** Returns the columns of a list of records. `names` has the names of related records by ID. */
export function recordColumns(entity: Entity, names: ReadonlyMap<string, string>): readonly Column<CrmRecord>[] {
  return [
    {
      label: fieldLabel({ task: "title", note: "body" }[entity as string] ?? "name"),
      render: (record) => <RecordLink entity={entity} record={record} />,
    },
    ...entityLists[entity].columns.map((field) => ({
      label: fieldLabel(field),
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
  if (field.endsWith("At")) return formatTime(String(value));
  if (field === "status" || field === "priority") return valueLabel(String(value));
  if (field.endsWith("Id") || field === "assignedTo") return names.get(String(value)) ?? "…";
  return String(value);
}

export function formatAmount(amount: number, currency: unknown): string {
  const number = amount.toLocaleString(undefined, { maximumFractionDigits: 2 });
  return typeof currency === "string" ? `${number} ${currency}` : number;
}

/** Formats a time in the time zone of the browser. */
export function formatTime(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
