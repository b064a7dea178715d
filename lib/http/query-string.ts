import { ApiError, type Finding, problemsError } from "../errors.ts";
import { pointer } from "../input/check.ts";

/**
 * The parameters of a query string, each once.
 * @throws ApiError `400 bad_request` where it is badly encoded, `400 validation_error` where one is given twice
 */
export function parseQueryString(search: string): Readonly<Record<string, string>> {
  const query: Record<string, string> = Object.create(null);
  const findings: Finding[] = [];
  for (const part of search.replace(/^\?/, "").split("&")) {
    if (part === "") continue;
    const cut = part.includes("=") ? part.indexOf("=") : part.length;
    const name = decode(part.slice(0, cut));
    if (name in query) findings.push(twice(name));
    query[name] = decode(part.slice(cut + 1));
  }
  if (findings.length > 0) throw problemsError(findings);
  return query;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new ApiError("bad_request", "The query string is not valid percent-encoded UTF-8.");
  }
}

function twice(name: string): Finding {
  const message = `${name.slice(0, 60)} is given more than once; give it once.`;
  return { kind: "shape", problem: { path: pointer([name], "?"), code: "invalid_format", message } };
}
