import type { FieldError } from "crm-integrations/client";
import { code as languageCode } from "../language.ts";
import { fieldLabel, texts } from "../texts.ts";
import type { FieldSpec } from "./field-spec.ts";

const { codes, errors, allowed: allowedValues } = texts.requests;

type Described = { readonly code: string; readonly message: string };

/**
 * Explains an error in the language of the page. In English, the message of the API says the most. Other languages have a
 * sentence for the code. Undefined for a code without one.
 */
export function describeError({ code, message }: Described): string | undefined {
  if (languageCode === "en") return message;
  return Object.hasOwn(codes, code) ? codes[code as keyof typeof codes] : undefined;
}

/** Explains an error of a field, which people know by its label. */
export function describeFieldError({ path, code, message, allowed }: FieldError, field?: FieldSpec): string {
  const name = fieldName(path);
  const label = field?.label ?? (name.includes(".") ? name : fieldLabel(name));
  // Messages of the API begin with the name of the field in the API.
  if (languageCode === "en") return message.startsWith(`${name} `) ? label + message.slice(name.length) : message;
  const limit = code === "too_long" && field?.maxLength ? ` ${texts.form.atMost(field.maxLength)}` : "";
  return `${label} ${errors[code]}${limit}${allowed ? allowedValues(allowed) : ""}.`;
}

/** Returns the name in an error path: `/customFields/segment` becomes `customFields.segment`. */
export function fieldName(path: string): string {
  return path.replace(/^[/?]/, "").replaceAll("/", ".");
}
