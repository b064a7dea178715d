import type { Finding } from "../errors.ts";
import { pointer } from "../input/check.ts";
import { shown } from "../input/hint.ts";

/** The parameters of a query string, and what is wrong with how they are written. */
export type ParsedQuery = {
  readonly values: Readonly<Record<string, string>>;
  readonly findings: readonly Finding[];
};

/** Each parameter may be given once, in percent-encoded UTF-8. */
export function parseQueryString(search: string): ParsedQuery {
  const values: Record<string, string> = Object.create(null);
  const findings: Finding[] = [];
  for (const part of search.replace(/^\?/, "").split("&")) {
    if (part === "") continue;
    const cut = part.includes("=") ? part.indexOf("=") : part.length;
    const [name, value] = [decode(part.slice(0, cut)), decode(part.slice(cut + 1))];
    const written = name ?? part.slice(0, cut);
    if (name === undefined || value === undefined) findings.push(fault(written, "is not valid percent-encoded UTF-8"));
    else if (name in values) findings.push(fault(written, "is given more than once; give it once"));
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

function fault(name: string, what: string): Finding {
  const message = `${shown(name)} ${what}.`;
  return { kind: "shape", problem: { path: pointer([name], "?"), code: "invalid_format", message } };
}
