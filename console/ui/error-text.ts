import type { ErrorCode, FieldError } from "crm-integrations/client";
import { displayNumber } from "../language.ts";
import { fieldLabel, texts } from "../texts.ts";
import { formatTime } from "./date-text.ts";
import type { FieldSpec } from "./field-spec.ts";

const { codes, reasons, fields, forms, limits, duplicate, target, tooManyMatches } = texts.errors;

type ApiError = {
  readonly code: string;
  readonly message: string;
  readonly status?: number | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
};

/** An error in the words of the page, and the message of the API if only it says what is wrong. */
export type ErrorText = { readonly text: string; readonly message?: string };

/** Codes with several causes, which the code doesn't name. */
const withCauses = ["bad_request", "conflict"];
/** Reasons that only the status names. */
const statusReasons: Readonly<Record<number, string>> = { 413: "too_large", 503: "unavailable" };

/** Explains an error by its code and its details. An unknown code has only the message of the API. */
export function describeError({ code, message, status = 0, details = {} }: ApiError): ErrorText {
  const { reason = details.required ?? statusReasons[status], field } = details;
  const [first] = (details.errors ?? []) as readonly FieldError[];
  // A list has no fields that show the errors of its parameters.
  if (first?.path.startsWith("?")) return { text: describeFieldError(first) };
  if (code === "duplicate" && typeof field === "string") return { text: duplicate(fieldLabel(field)) };
  const text = textOf(reasons, reason) ?? textOf(codes, code);
  if (text === undefined) return { text: message };
  const isCause = withCauses.includes(code) && textOf(reasons, reason) === undefined;
  return isCause ? { text, message } : { text };
}

/** Explains the code of a logged error of an integration. */
export function describeCode(code: ErrorCode): string {
  return textOf(texts.requests.codes, code) ?? codes[code];
}

/** Returns the text of a key. Undefined if the key is unknown. */
export function textOf(texts: Readonly<Record<string, string>>, key: unknown): string | undefined {
  return typeof key === "string" && Object.hasOwn(texts, key) ? texts[key] : undefined;
}

/** An error with this many allowed values has only the first ones. */
const maxAllowed = 20;

type FieldContext = {
  /** The fields that errors can be about. */
  readonly fields?: readonly FieldSpec[] | undefined;
  /** The stage that the record moves to. */
  readonly stage?: string | undefined;
};

/** Explains an error of a field, which people know by its label. */
export function describeFieldError(error: FieldError, { fields: specs = [], stage }: FieldContext = {}): string {
  const { path, code, message, allowed, suggestion } = error;
  const describe = Object.hasOwn(fields, code) ? fields[code] : undefined;
  if (describe === undefined) return message;
  if (path === "?q" && code === "invalid_format") return texts.errors.noWords;
  const field = specs.find((each) => isAtOrBelow(path, each.path));
  const labelOf = (value: string) => field?.options?.find((option) => option.value === value)?.label ?? value;
  const label = labelAt(path, specs) || texts.requests.body;
  const text = describe({
    label,
    stage,
    form: field && textOf(forms, field.input),
    allowed: allowed && allowed.length < maxAllowed ? allowed.map(labelOf).join(", ") : undefined,
  });
  const limit = describeLimits(label, error);
  if (limit !== undefined) return limit;
  if (code === "out_of_range") return field?.input === "url" ? target(label) : `${text} ${message}`.trimEnd();
  return suggestion === undefined ? text : `${text} ${texts.errors.didYouMean(labelOf(suggestion))}`;
}

/**
 * Returns the label of the field at an error path. Without its field, the label is made from the name: of
 * `/customFields/installDate`, "Install date".
 */
export function labelAt(path: string, specs: readonly FieldSpec[]): string {
  const name = path.split(/[/?]/).findLast((part) => !/^\d*$/.test(part));
  return specs.find((each) => isAtOrBelow(path, each.path))?.label ?? fieldLabel(name ?? "");
}

function describeLimits(label: string, { path, limits: found = {} }: FieldError): string | undefined {
  const { minimum, maximum, maxItems } = found;
  if (minimum !== undefined && maximum !== undefined)
    return limits.between(label, displayNumber(minimum), displayNumber(maximum));
  if (path.startsWith("?") && maxItems !== undefined) return tooManyMatches(displayNumber(maxItems));
  for (const [name, limit] of Object.entries(found)) {
    const shown = typeof limit === "number" ? displayNumber(limit) : formatTime(limit);
    if (Object.hasOwn(limits, name)) return limits[name as "maxLength"](label, shown);
  }
  return undefined;
}

/** Whether an error path is that of a field, or of a part of it. */
export function isAtOrBelow(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

/** Returns the name in an error path: `/customFields/segment` becomes `customFields.segment`. */
export function fieldName(path: string): string {
  return path.replace(/^[/?]/, "").replaceAll("/", ".");
}
