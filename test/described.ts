import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { instantOf, isCalendarDate, isUuid } from "../lib/input/scalars.ts";
import { isCurrency } from "../lib/records/currency.ts";

/** An answer as a client sees it, and what it is an answer to. */
export type Answered = {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

type Header = { readonly $ref?: string; readonly required?: boolean; readonly schema: { readonly type?: string } };
type Described = {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
};
type Operation = { readonly responses: Readonly<Record<string, Described>> };
type Description = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

/** Tells everything in which an answer is not what a description says. */
export type Check = (answered: Answered) => readonly string[];

/** What HTTP itself brings along, and what the description says once for every answer. */
const plainHeaders = new Set([
  ...["connection", "content-length", "content-type", "date", "keep-alive", "transfer-encoding"],
  ...["cache-control", "x-content-type-options"],
]);

const formats = {
  uuid: isUuid,
  date: isCalendarDate,
  "date-time": (text: string) => instantOf(text) !== undefined,
  "iso-4217": isCurrency,
  "uri-reference": true,
} as const;

/** Compares answers with this description. Schemas are compiled when they are first needed. */
export function checkAgainst(description: Description): Check {
  const ajv = new Ajv2020({ allErrors: true, strict: false, formats, validateSchema: false });
  ajv.addSchema(description, "api");
  const validators = new Map<string, ValidateFunction>();
  const routes = Object.entries(description.paths).map(([path, methods]) => {
    const base = "servers" in methods ? "/integrations" : "/integrations/v1";
    return { path, methods, form: new RegExp(`^.*${base}${path.replace(/\{\w+\}/g, "[^/]+")}$`) };
  });

  /** The pointer with any reference followed, and what stands there. */
  function at<T>(pointer: string): { pointer: string; value: T | undefined } {
    const keys = pointer.split("/").slice(1);
    const value = keys.reduce((node, key) => node?.[unescaped(key)] as Tree, description as unknown as Tree);
    const ref = (value as { $ref?: string } | undefined)?.$ref;
    return ref === undefined ? { pointer, value: value as T | undefined } : at<T>(ref.slice(1));
  }

  function misfit(schemaPointer: string, value: unknown, what: string): string[] {
    const known = validators.get(schemaPointer);
    const validate = known ?? ajv.compile({ $ref: `api#${encodeURI(schemaPointer)}` });
    validators.set(schemaPointer, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath} ${message}`);
  }

  function headerProblems(pointer: string, described: Described, headers: Headers): string[] {
    const names = Object.keys(described.headers ?? {});
    const known = new Set(names.map((name) => name.toLowerCase()));
    const strange = [...headers.keys()].filter((name) => !known.has(name) && !plainHeaders.has(name));
    const wrong = names.flatMap((name) => {
      const header = at<Header>(`${pointer}/headers/${escaped(name)}`);
      const text = headers.get(name);
      if (text === null) return header.value?.required === true ? [`the header ${name} is missing`] : [];
      const whole = header.value?.schema.type === "integer";
      return misfit(`${header.pointer}/schema`, whole ? Number(text) : text, `the header ${name}`);
    });
    return [...strange.map((name) => `the header ${name} is not described`), ...wrong];
  }

  return ({ method, url, status, headers, text }) => {
    // An address that cannot be read leads nowhere.
    const pathname = URL.parse(url)?.pathname ?? "";
    if (!pathname.includes("/integrations/") || (status < 400 && pages.test(pathname))) return [];
    const found = routes.filter(({ form }) => form.test(pathname));
    const route = found.find(({ methods }) => method.toLowerCase() in methods);
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    if (route === undefined) {
      const expected = pages.test(pathname) ? [404, 405, 503] : [found.length === 0 ? 404 : 405, 503];
      const misplaced = expected.includes(status) ? [] : [`${status} where no operation is`];
      return [...misplaced, ...misfit("/components/schemas/Error", body, "the body")];
    }
    const operation = `/paths/${escaped(route.path)}/${method.toLowerCase()}`;
    const { pointer, value: described } = at<Described>(`${operation}/responses/${status}`);
    if (described === undefined) return [`the status ${status} is not described`];
    const json = described.content?.["application/json"] !== undefined;
    const type = headers.get("content-type");
    const content = json
      ? misfit(`${pointer}/content/application~1json/schema`, body, "the body")
      : text === ""
        ? []
        : ["a body is not described"];
    const typed = json === (type === "application/json") ? [] : [`the content type is ${type}`];
    return [...headerProblems(pointer, described, headers), ...typed, ...content];
  };
}

/** What is not the API itself, but tells of it. */
const pages = /\/integrations\/v1\/(?:openapi\.json|docs(?:\/[^/]*)?)$/;

type Tree = { readonly [key: string]: Tree } | undefined;

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unescaped(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

let check: Check | undefined;

/** Fails where an answer is not one that docs/openapi.json describes. */
export function assertDescribed(answered: Answered): void {
  check ??= checkAgainst(JSON.parse(readFileSync(new URL("../docs/openapi.json", import.meta.url), "utf8")));
  const problems = check(answered);
  const what = `${answered.method} ${answered.url} was answered ${answered.status} ${answered.text.slice(0, 500)}`;
  assert.deepEqual(problems, [], `${what}\nbut docs/openapi.json says otherwise: ${problems.join("; ")}`);
}

/** `fetch`, whose answers must be described. */
export async function describedFetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
  return described(init.method ?? "GET", String(url), await fetch(url, init));
}

/** The same answer, once it was compared with the description. */
export async function described(method: string, url: string, response: Response): Promise<Response> {
  const { status, headers } = response;
  assertDescribed({ method, url, status, headers, text: await response.clone().text() });
  return response;
}
