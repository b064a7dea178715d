import type { ValidationIssue } from "../model/errors.ts";
import { quote } from "../model/suggest.ts";
import { jsonPointer } from "../model/validate.ts";

/** The parameters of a query string, and the errors in their encoding. */
export type ParsedQuery = {
  readonly values: Readonly<Record<string, string>>;
  readonly issues: readonly ValidationIssue[];
};

/** Parses the query string of a URL. A parameter may occur once, in percent-encoded UTF-8. */
export function parseQueryString(url: string): ParsedQuery {
  const [, search = ""] = /\?([^#]*)/.exec(url) ?? [];
  const values: Record<string, string> = Object.create(null);
  const issues: ValidationIssue[] = [];
  for (const part of search.split("&")) {
    if (part === "") continue;
    const cut = part.includes("=") ? part.indexOf("=") : part.length;
    const [name, value] = [decode(part.slice(0, cut)), decode(part.slice(cut + 1))];
    const written = name ?? part.slice(0, cut);
    if (name === undefined || value === undefined)
      issues.push(encodingIssue(written, "isn't valid percent-encoded UTF-8"));
    else if (name in values) issues.push(encodingIssue(written, "occurs more than once. Send it once"));
    else values[name] = value;
  }
  return { values, issues };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

function encodingIssue(name: string, predicate: string): ValidationIssue {
  const message = `${quote(name)} ${predicate}.`;
  return { kind: "shape", problem: { path: jsonPointer([name], "?"), code: "invalid_format", message } };
}
