import { exactNumberLimits } from "../../lib/model/exact-number.ts";
import { language } from "../language.ts";
import { texts } from "../texts.ts";
import { type DateInputType, exampleDate, parseDate, toDateText } from "./date-text.ts";
import { formatNumber, type ParsedNumber, parseNumber } from "./number-text.ts";
import { isId } from "./record-id.ts";

/** How the user enters a value. */
export type InputType =
  | "text"
  | "textarea"
  | "email"
  | "url"
  | "tel"
  | "number"
  | "date"
  | "date-time"
  | "checkbox"
  | "select"
  | "multi-select"
  | "lines"
  | "currency"
  | "reference"
  | "references"
  | "related-to"
  | "rows";

/** A text field in each row of `rows`. */
export type RowColumn = { readonly name: string; readonly label: string; readonly isNumber?: boolean };
export type RowDraft = Readonly<Record<string, string>>;

export type Option<T extends string = string> = { readonly value: T; readonly label: string };

/** A field of a form. */
export type FieldSpec = {
  /** JSON pointer into the body: `/address/city`. */
  readonly path: string;
  readonly label: string;
  /** The heading over the field and those after it with the same one. */
  readonly group?: string | undefined;
  readonly help?: string | undefined;
  readonly input: InputType;
  readonly required?: boolean;
  /** Of `select` and `multi-select`. */
  readonly options?: readonly Option[];
  /** Whether an empty value is `null`. Otherwise an empty field is omitted from a new record. */
  readonly nullable?: boolean;
  /** Of `reference` and `references`. */
  readonly kind?: string;
  /** Of `rows`. */
  readonly columns?: readonly RowColumn[];
  readonly maxLength?: number | undefined;
  /** Whether only a new record has this field. */
  readonly createOnly?: boolean;
  /** Whether only one value is possible, so that forms omit the field. */
  readonly isFixed?: boolean;
};

/** The state of an input while the user edits it. */
export type Draft = unknown;

export type CurrencyDraft = { readonly amount: string; readonly currency: string };
export type RelatedToDraft = { readonly type: string; readonly id: string };

/** Returns the fields by their group. */
export function groupsOf(fields: readonly FieldSpec[]) {
  return [...Map.groupBy(fields, ({ group = "" }) => group)];
}

/** Returns the value at a JSON pointer. */
export function valueAt(body: unknown, path: string): unknown {
  let value = body;
  for (const name of path.slice(1).split("/"))
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return value;
}

/** Sets the value at a JSON pointer. Creates missing objects. */
export function setAt(body: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.slice(1).split("/");
  const last = names.pop() ?? "";
  let target = body;
  for (const name of names) {
    target[name] ??= {};
    target = target[name] as Record<string, unknown>;
  }
  target[last] = value;
}

function textOf(value: unknown): string {
  if (typeof value === "number") return formatNumber(value, language);
  return value === undefined || value === null ? "" : String(value);
}

/** Converts a value of the API to the state of an input. */
export function toDraft({ input, columns = [] }: FieldSpec, value: unknown): Draft {
  switch (input) {
    case "checkbox":
      return value === true;
    case "multi-select":
    case "references":
      return Array.isArray(value) ? value : [];
    case "lines":
      return Array.isArray(value) ? value.join("\n") : "";
    case "date":
    case "date-time":
      return typeof value === "string" ? toDateText(value, language, input) : "";
    case "currency": {
      const isObject = typeof value === "object" && value !== null;
      const { amount, currency } = (isObject ? value : { amount: value }) as { amount?: unknown; currency?: unknown };
      return { amount: textOf(amount), currency: textOf(currency) } satisfies CurrencyDraft;
    }
    case "related-to": {
      const { type, id } = (value ?? {}) as Partial<RelatedToDraft>;
      return { type: type ?? "", id: id ?? "" } satisfies RelatedToDraft;
    }
    case "rows":
      return (Array.isArray(value) ? value : []).map((row) =>
        Object.fromEntries(columns.map(({ name }) => [name, textOf(row[name])])),
      );
    default:
      return textOf(value);
  }
}

/** Converts the state of an input to a value of the API. Undefined omits the field. */
export function fromDraft({ input, nullable = false, columns = [] }: FieldSpec, draft: Draft): unknown {
  const empty = nullable ? null : undefined;
  switch (input) {
    case "checkbox":
      return draft;
    case "multi-select":
    case "references":
      return draft;
    case "lines":
      return String(draft)
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "");
    case "number":
      return draft === "" ? empty : toNumber(String(draft));
    case "date":
    case "date-time":
      return draft === "" ? empty : (parseDate(String(draft), language, input) ?? draft);
    case "currency": {
      const { amount, currency } = draft as CurrencyDraft;
      if (amount === "") return empty;
      return currency === "" ? toNumber(amount) : { amount: toNumber(amount), currency };
    }
    case "related-to": {
      const { type, id } = draft as RelatedToDraft;
      return type === "" ? empty : { type, id };
    }
    case "rows":
      return filledRows(columns, draft).map((row) => {
        const filled = columns.filter(({ name }) => row[name] !== "");
        return Object.fromEntries(
          filled.map(({ name, isNumber }) => [name, isNumber ? toNumber(row[name] ?? "") : row[name]]),
        );
      });
    default:
      return draft === "" ? empty : draft;
  }
}

/** Text that isn't a number or a date is sent unchanged, so that the API rejects it together with everything else that is wrong. */
function toNumber(text: string): unknown {
  const parsed = parseNumber(text, language);
  return "value" in parsed ? parsed.value : text;
}

/** Says why the text of an input isn't a date. Returns an empty text if it is one, or if it is empty. */
export function dateError(text: string, type: DateInputType): string {
  const isRead = text === "" || parseDate(text, language, type) !== undefined;
  return isRead ? "" : texts.form.invalidDate(text, exampleDate(language, type));
}

/** Explains the texts of a field that aren't numbers, dates or chosen records, by the paths of the API. */
export function textErrors(field: FieldSpec, draft: Draft): { readonly path: string; readonly message: string }[] {
  const { path: at, input } = field;
  if (input === "date" || input === "date-time")
    return [{ path: at, message: dateError(String(draft), input) }].filter(({ message }) => message !== "");
  const unchosen = referencesOf(field, draft).filter(({ text }) => text !== "" && !isId(text));
  if (unchosen.length > 0) return unchosen.map(({ path, text }) => ({ path, message: texts.form.notChosen(text) }));
  return numberTexts(field, draft).flatMap(({ path, text }) => {
    const parsed = parseNumber(text, language);
    if (text === "" || "value" in parsed) return [];
    return { path, message: numberError(text, parsed) };
  });
}

function referencesOf({ path, input }: FieldSpec, draft: Draft): { path: string; text: string }[] {
  if (input === "reference") return [{ path, text: String(draft) }];
  if (input === "related-to") return [{ path: `${path}/id`, text: (draft as RelatedToDraft).id }];
  if (input !== "references") return [];
  return (draft as readonly string[]).map((text, index) => ({ path: `${path}/${index}`, text }));
}

function numberError(text: string, { problem, examples }: Exclude<ParsedNumber, { value: number }>): string {
  const { ambiguousNumber, invalidNumber } = texts.form;
  if (problem === "inexact") return texts.errors.limits.totalDigits(text, String(exactNumberLimits.totalDigits));
  return problem === "ambiguous" ? ambiguousNumber(text, examples) : invalidNumber(text, examples.join());
}

function numberTexts({ path, input, columns = [] }: FieldSpec, draft: Draft): { path: string; text: string }[] {
  if (input === "number") return [{ path, text: String(draft) }];
  if (input === "currency") return [{ path, text: (draft as CurrencyDraft).amount }];
  if (input !== "rows") return [];
  return filledRows(columns, draft).flatMap((row, index) =>
    columns
      .filter(({ isNumber }) => isNumber)
      .map(({ name }) => ({ path: `${path}/${index}/${name}`, text: row[name] ?? "" })),
  );
}

/** Returns the rows with an entry. */
export function filledRows(columns: readonly RowColumn[], draft: Draft): readonly RowDraft[] {
  return (draft as readonly RowDraft[]).filter((row) => columns.some(({ name }) => row[name] !== ""));
}

export type InputProps = {
  readonly id: string;
  readonly field: FieldSpec;
  readonly draft: Draft;
  /** IDs of the help and the errors. */
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
  onChange(draft: Draft): void;
};
