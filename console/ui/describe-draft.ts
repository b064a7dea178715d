import type { Entity } from "../names.ts";
import { texts } from "../texts.ts";
import { formatDate, formatTime } from "./date-text.ts";
import {
  type CurrencyDraft,
  type Draft,
  type FieldSpec,
  filledRows,
  fromDraft,
  type RelatedToDraft,
} from "./field-spec.ts";

/**
 * Describes the state of an input in words. An empty one has an empty text.
 * @param names the names of the records that it refers to, by ID
 */
export function describeDraft(field: FieldSpec, draft: Draft, names: ReadonlyMap<string, string>): string {
  const { input, options = [], columns = [] } = field;
  const nameOf = (id: string): string => names.get(id) ?? "…";
  const labelOf = (value: string): string => options.find((option) => option.value === value)?.label ?? value;
  switch (input) {
    case "date":
      return draft === "" ? "" : formatDate(String(fromDraft(field, draft)));
    case "date-time":
      return draft === "" ? "" : formatTime(String(fromDraft(field, draft)));
    case "checkbox":
      return draft ? texts.setUp.yes : texts.setUp.no;
    case "multi-select":
      return (draft as readonly string[]).map(labelOf).join(", ");
    case "currency": {
      const { amount, currency } = draft as CurrencyDraft;
      return `${amount} ${currency}`.trim();
    }
    case "reference":
      return draft === "" ? "" : nameOf(String(draft));
    case "references":
      return (draft as readonly string[]).map(nameOf).join(", ");
    case "related-to": {
      const { type, id } = draft as RelatedToDraft;
      return type === "" ? "" : `${texts.kinds[type as Entity]}: ${nameOf(id)}`;
    }
    case "rows":
      return filledRows(columns, draft)
        .map((row) => {
          const [first, ...rest] = columns.flatMap(({ name }) => row[name] || []);
          return rest.length === 0 ? first : `${first} (${rest.join(", ")})`;
        })
        .join(", ");
    case "lines":
      return String(draft).replaceAll("\n", ", ");
    default:
      return labelOf(String(draft));
  }
}
