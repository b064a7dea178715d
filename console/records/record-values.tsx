import type { ComponentChildren } from "preact";
import { useSetUpNames } from "../catalog.ts";
import { entityLists } from "../entities.ts";
import { collections, type Entity, useNames } from "../names.ts";
import { href } from "../route.ts";
import { fieldLabel } from "../texts.ts";
import { type FieldSpec, valueAt } from "../ui/field-spec.ts";
import { type CrmRecord, formatValue, RelatedLink, type RelatedTo } from "./record-columns.tsx";

type Names = ReadonlyMap<string, string>;

/** Returns the names of the records that a record refers to, by ID. */
export function useReferenceNames({ accountId, contactId, contactIds, relatedTo, updatedAt }: CrmRecord): Names {
  const related = relatedTo as RelatedTo | null | undefined;
  const relatedId = (kind: Entity) => (related?.type === kind ? related.id : null);
  useNames("opportunity", [relatedId("opportunity")]);
  useNames("contact", [relatedId("contact"), contactId as string | null, ...((contactIds ?? []) as string[])]);
  const names = useNames("account", [relatedId("account"), accountId as string | null]);
  return new Map([...names, ...useSetUpNames(updatedAt)]);
}

type ValueProps = { readonly field: FieldSpec; readonly record: CrmRecord; readonly names: Names };

/** The value of a field to read. */
export function FieldValue({ field, record, names }: ValueProps): ComponentChildren {
  const { path, label, input, kind } = field;
  const value = valueAt(record, path);
  const text = String(value ?? "");
  if (text === "") return <span class="help">–</span>;
  switch (input) {
    case "textarea":
      return (
        <span class="note-text" dir="auto">
          {text}
        </span>
      );
    case "email":
      return <a href={`mailto:${encodeURIComponent(text)}`}>{text}</a>;
    case "tel":
      return <a href={`tel:${text.replaceAll(/[^\d+]/g, "")}`}>{text}</a>;
    case "url":
      return /^https?:/i.test(text) ? (
        <a href={text} target="_blank" rel="noopener noreferrer" dir="auto">
          {text}
        </a>
      ) : (
        <bdi>{text}</bdi>
      );
    case "reference":
      if (kind === "account" || kind === "contact")
        return <RelatedLink relatedTo={{ type: kind, id: text }} names={names} />;
      break;
    case "references":
      return (
        <ul class="links">
          {(value as readonly string[]).map((id) => (
            <li key={id}>
              <RelatedLink relatedTo={{ type: (kind ?? "contact") as Entity, id }} names={names} />
            </li>
          ))}
        </ul>
      );
  }
  return formatValue({ name: path.slice(1), label, spec: field }, record, names);
}

type RecordSummaryProps = { readonly entity: Entity; readonly record: CrmRecord; readonly names: Names };

/** The fields of the list of this kind that have a value: what people look for first. */
export function RecordSummary({ entity, record, names }: RecordSummaryProps) {
  const shown = entityLists[entity].columns.filter((name) => name !== "updatedAt" && record[name]);
  if (shown.length === 0) return null;
  return (
    <dl class="summary">
      {shown.map((name) => (
        <div key={name}>
          <dt>{fieldLabel(name)}</dt>
          <dd>
            {name === "accountId" ? (
              <a href={href([collections.account, String(record[name])])} dir="auto">
                {names.get(String(record[name])) ?? "…"}
              </a>
            ) : (
              formatValue({ name, label: name }, record, names)
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
