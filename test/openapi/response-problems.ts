import { pointerTo, type Reader, type Tree } from "./reader.ts";

/** A request and its response, as the client sees them. */
export type Exchange = {
  readonly method: string;
  readonly url: string;
  /** Request body, or undefined if it isn't JSON. The request isn't checked if the member is absent. */
  readonly sent?: unknown;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

/** Headers of HTTP itself, and headers that the description mentions only in its introduction. */
const generalHeaders = new Set([
  ...["connection", "content-length", "content-type", "date", "keep-alive", "transfer-encoding"],
  ...["cache-control", "x-content-type-options"],
  // Sent only by servers for tests of clients.
  ...["x-crm-fixtures", "preference-applied"],
]);

/** Paths of the documentation, which the description doesn't list. */
const documentationPaths = /\/integrations\/v1\/(?:openapi\.json|docs(?:\/[^/]*)?)$/;

/** Returns the differences between a response and its description. */
export function responseProblems(reader: Reader, exchange: Exchange): readonly string[] {
  const { url, status, headers, text } = exchange;
  // The description doesn't list OPTIONS. HEAD is GET without a body.
  if (exchange.method === "OPTIONS" && status === 204) return headers.has("allow") ? [] : ["Allow is missing"];
  const method = exchange.method === "HEAD" ? "GET" : exchange.method;
  // An invalid URL has no path.
  const pathname = URL.parse(url)?.pathname.replace(/\/$/, "") ?? "";
  if (!pathname.includes("/integrations/") || (status < 400 && documentationPaths.test(pathname))) return [];
  const { isKnownPath, operation } = reader.route(method, pathname);
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  if (operation === undefined) {
    const expected = documentationPaths.test(pathname) ? [401, 404, 405, 429, 503] : [isKnownPath ? 405 : 404, 503];
    const statusProblems = expected.includes(status)
      ? []
      : [`the status ${status} is wrong for a path or method without operation`];
    if (exchange.method === "HEAD") return statusProblems;
    return [...statusProblems, ...reader.schemaErrors("/components/schemas/Error", body, "the body")];
  }
  const { pointer, value } = reader.at(operation + pointerTo("responses", String(status)));
  if (value === undefined) return [`the status ${status} is not described`];
  const hasBody = value.content !== undefined;
  const type = headers.get("content-type");
  const bodyProblems = text === "" ? [] : ["a body is not described"];
  const schema = pointer + pointerTo("content", "application/json", "schema");
  return [
    ...headerProblems(reader, pointer, value.headers ?? {}, headers),
    ...(hasBody === (type === "application/json") ? [] : [`the content type is ${type}`]),
    ...(hasBody && exchange.method !== "HEAD" ? reader.schemaErrors(schema, body, "the body") : bodyProblems),
    ...codeProblems(value, body),
  ];
}

function codeProblems(response: Tree, body: unknown): string[] {
  const codes = response["x-error-codes"] as unknown as readonly string[] | undefined;
  const code = (body as { readonly error?: { readonly code: string } } | undefined)?.error?.code;
  return codes === undefined || code === undefined || codes.includes(code) ? [] : [`the code ${code} is not described`];
}

function headerProblems(reader: Reader, pointer: string, described: Tree, headers: Headers): string[] {
  const names = Object.keys(described);
  const known = new Set(names.map((name) => name.toLowerCase()));
  const undescribed = [...headers.keys()].filter((name) => !known.has(name) && !generalHeaders.has(name));
  const invalid = names.flatMap((name) => {
    const header = reader.at(pointer + pointerTo("headers", name));
    const { required, schema } = header.value as { required?: unknown; schema?: { type?: unknown } };
    const text = headers.get(name);
    if (text === null) return required === true ? [`the header ${name} is missing`] : [];
    const value = schema?.type === "integer" ? Number(text) : text;
    return reader.schemaErrors(`${header.pointer}/schema`, value, `the header ${name}`);
  });
  return [...undescribed.map((name) => `the header ${name} is not described`), ...invalid];
}
