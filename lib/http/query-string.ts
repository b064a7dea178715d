import type { ValidationIssue } from "../model/errors.ts";
import { quote } from "../model/suggest.ts";
import { jsonPointer } from "../model/validate.ts";

/** The parameters of a query string, and the errors in their encoding. */
export type ParsedQuery = {
  readonly values: Readonly<Record<string, string>>;
  readonly findings: readonly ValidationIssue[];
};

/** Parses the query string of a URL. A parameter may occur once, in percent-encoded UTF-8. */
export function parseQueryString(url: string): ParsedQuery {
  const [, search = ""] = /\?([^#]*)/.exec(url) ?? [];
  const values: Record<string, string> = Object.create(null);
  const findings: ValidationIssue[] = [];
  for (const part of search.split("&")) {
    if (part === "") continue;
    const cut = part.includes("=") ? part.indexOf("=") : part.length;
    const [name, value] = [decode(part.slice(0, cut)), decode(part.slice(cut + 1))];
    const written = name ?? part.slice(0, cut);
    if (name === undefined || value === undefined) findings.push(fault(written, "isn't valid percent-encoded UTF-8"));
    else if (name in values) findings.push(fault(written, "occurs more than once. Send it once"));
    else values[name] = value;
  }
  return { values, findings };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

function fault(name: string, what: string): ValidationIssue {
  const message = `${quote(name)} ${what}.`;
  return { kind: "shape", problem: { path: jsonPointer([name], "?"), code: "invalid_format", message } };
}
