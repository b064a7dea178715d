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

export type Option = { readonly value: string; readonly label: string };

/** A field of a form. */
export type FieldSpec = {
  /** JSON pointer into the body: `/address/city`. */
  readonly path: string;
  readonly label: string;
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
};

/** The state of an input while the user edits it. */
export type Draft = unknown;

export type CurrencyDraft = { readonly amount: string; readonly currency: string };
export type RelatedToDraft = { readonly type: string; readonly id: string };

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

const textOf = (value: unknown): string => (value === undefined || value === null ? "" : String(value));

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
    case "date-time":
      return typeof value === "string" ? toLocalTime(value) : "";
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
    case "date-time":
      return draft === "" ? empty : new Date(String(draft)).toISOString();
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
      return (draft as readonly RowDraft[])
        .filter((row) => columns.some(({ name }) => row[name] !== ""))
        .map((row) => {
          const filled = columns.filter(({ name }) => row[name] !== "");
          return Object.fromEntries(
            filled.map(({ name, isNumber }) => [name, isNumber ? toNumber(row[name] ?? "") : row[name]]),
          );
        });
    default:
      return draft === "" ? empty : draft;
  }
}

/** Text that isn't a number is sent unchanged, so that the API explains what is wrong. */
function toNumber(text: string): unknown {
  const value = Number(text);
  return text.trim() === "" || !Number.isFinite(value) ? text : value;
}

function toLocalTime(iso: string): string {
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
