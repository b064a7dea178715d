import { pointerTo, type Reader, type Tree } from "./reader.ts";

/** An answer as a client sees it, and what it is an answer to. */
export type Answered = {
  readonly method: string;
  readonly url: string;
  /** The body that was sent, undefined where it was no JSON. Left out, the request is not looked at. */
  readonly sent?: unknown;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

/** What HTTP itself brings along, and what the description says once for every answer. */
const plainHeaders = new Set([
  ...["connection", "content-length", "content-type", "date", "keep-alive", "transfer-encoding"],
  ...["cache-control", "x-content-type-options"],
  // What only a server of fixtures says.
  ...["x-crm-fixtures", "preference-applied"],
]);

/** What is not the API itself, but tells of it. */
const pages = /\/integrations\/v1\/(?:openapi\.json|docs(?:\/[^/]*)?)$/;

/** Everything in which an answer is not what the description says. */
export function answerProblems(reader: Reader, answered: Answered): readonly string[] {
  const { url, status, headers, text } = answered;
  // The description doesn't list OPTIONS. HEAD is GET without a body.
  if (answered.method === "OPTIONS" && status === 204) return headers.has("allow") ? [] : ["Allow is missing"];
  const method = answered.method === "HEAD" ? "GET" : answered.method;
  // An address that cannot be read leads nowhere.
  const pathname = URL.parse(url)?.pathname.replace(/\/$/, "") ?? "";
  if (!pathname.includes("/integrations/") || (status < 400 && pages.test(pathname))) return [];
  const { known, operation } = reader.route(method, pathname);
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  if (operation === undefined) {
    const expected = pages.test(pathname) ? [404, 405, 503] : [known ? 405 : 404, 503];
    const misplaced = expected.includes(status) ? [] : [`${status} where no operation is`];
    if (answered.method === "HEAD") return misplaced;
    return [...misplaced, ...reader.misfits("/components/schemas/Error", body, "the body")];
  }
  const { pointer, value } = reader.at(operation + pointerTo("responses", String(status)));
  if (value === undefined) return [`the status ${status} is not described`];
  const json = value.content !== undefined;
  const type = headers.get("content-type");
  const strange = text === "" ? [] : ["a body is not described"];
  const schema = pointer + pointerTo("content", "application/json", "schema");
  return [
    ...headerProblems(reader, pointer, value.headers ?? {}, headers),
    ...(json === (type === "application/json") ? [] : [`the content type is ${type}`]),
    ...(json && answered.method !== "HEAD" ? reader.misfits(schema, body, "the body") : strange),
  ];
}

function headerProblems(reader: Reader, pointer: string, described: Tree, headers: Headers): string[] {
  const names = Object.keys(described);
  const known = new Set(names.map((name) => name.toLowerCase()));
  const strange = [...headers.keys()].filter((name) => !known.has(name) && !plainHeaders.has(name));
  const wrong = names.flatMap((name) => {
    const header = reader.at(pointer + pointerTo("headers", name));
    const { required, schema } = header.value as { required?: unknown; schema?: { type?: unknown } };
    const text = headers.get(name);
    if (text === null) return required === true ? [`the header ${name} is missing`] : [];
    const value = schema?.type === "integer" ? Number(text) : text;
    return reader.misfits(`${header.pointer}/schema`, value, `the header ${name}`);
  });
  return [...strange.map((name) => `the header ${name} is not described`), ...wrong];
}
