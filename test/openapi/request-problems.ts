import type { FieldError } from "../../lib/index.ts";
import { pointerTo, type Reader, type Tree } from "./reader.ts";
import type { Exchange } from "./response-problems.ts";

/** Errors that depend on stored data, so that no schema can express them: a code, or a path and a code. */
const byState: readonly string[] = ["read_only", "/scopes required"];

function dependsOnState({ path, code }: FieldError): boolean {
  return byState.includes(code) || byState.includes(`${path} ${code}`);
}

/**
 * Returns why the description rejects an accepted request, or that it accepts a malformed request that was rejected.
 */
export function requestProblems(reader: Reader, exchange: Exchange): readonly string[] {
  if (!("sent" in exchange)) return [];
  const { method, url, sent, status, text } = exchange;
  const parsedUrl = URL.parse(url);
  if (parsedUrl === null) return [];
  const { pathname, searchParams } = parsedUrl;
  const { operation } = reader.route(method, pathname);
  if (operation === undefined) return [];
  const errors = [...bodyErrors(reader, operation, sent), ...queryErrors(reader, operation, searchParams)];
  // The data of a failed operation can be malformed.
  if (status === 207) return [];
  if (status < 300) return errors.map((error) => `${error}, but was accepted`);
  const problems = shapeProblems(status, text);
  // Which fields an upsert or an operation of a batch needs depends on the record and on the operation.
  const isOpen =
    /\/(upsert|batch)\/?$/.test(pathname) && problems.some(({ code }) => /required|unknown_key/.test(code));
  const isMalformed = problems.length > 0 && !isOpen && !problems.some(dependsOnState) && !hasInvalidUnicode(url, sent);
  return isMalformed && errors.length === 0 ? ["the request fits its schemas, but was rejected as malformed"] : [];
}

/** Reports lone surrogates and invalid UTF-8, which no schema can express. */
function hasInvalidUnicode(url: string, sent: unknown): boolean {
  try {
    decodeURIComponent(url);
  } catch {
    return true;
  }
  return /\\ud[89a-f]/.test(JSON.stringify(sent) ?? "");
}

function bodyErrors(reader: Reader, operation: string, sent: unknown): readonly string[] {
  const { value } = reader.at(`${operation}/requestBody`);
  if (value === undefined) return isEmptyBody(sent) ? [] : ["a body is not described"];
  if (sent === undefined) return (value.required as unknown) === true ? ["the body is missing"] : [];
  const schema = operation + pointerTo("requestBody", "content", "application/json", "schema");
  return reader.schemaErrors(schema, sent, "the body sent");
}

function queryErrors(reader: Reader, operation: string, sent: URLSearchParams): readonly string[] {
  const declared = Object.keys(reader.at(`${operation}/parameters`).value ?? {})
    .map((index) => reader.at(`${operation}/parameters/${index}`))
    .filter(({ value }) => String(value?.in) === "query");
  const named = new Map(declared.map((each) => [String(each.value?.name), each]));
  const errors = [...sent].flatMap(([name, text]) => {
    const parameter = named.get(name);
    // The description of the API has it once, for all operations.
    if (name === "tenantId") return [];
    if (parameter === undefined) return [`the parameter ${name} is not described`];
    if (text === "" && (parameter.value?.allowEmptyValue as unknown) === true) return [];
    const value = parseParameter(text, parameter.value?.schema);
    return reader.schemaErrors(`${parameter.pointer}/schema`, value, `?${name}`);
  });
  const missing = [...named].filter(([name, { value }]) => (value?.required as unknown) === true && !sent.has(name));
  const repeated = [...new Set(sent.keys())].filter((name) => sent.getAll(name).length > 1);
  return [
    ...errors,
    ...missing.map(([name]) => `?${name} is missing`),
    ...repeated.map((name) => `?${name} is repeated`),
  ];
}

/** Converts the text of a parameter to the type of its schema. */
function parseParameter(text: string, schema: Tree | undefined): unknown {
  const type = String(schema?.type);
  if (type === "array") return text.split(",");
  if (type === "integer" && /^-?\d+$/.test(text)) return Number(text);
  return type === "boolean" && (text === "true" || text === "false") ? text === "true" : text;
}

/** Returns the validation errors of a 400 response, or none if one of them is about a header. */
function shapeProblems(status: number, text: string): readonly FieldError[] {
  if (status !== 400) return [];
  const { error } = JSON.parse(text) as { error: { details?: { errors?: readonly FieldError[] } } };
  const errors = error.details?.errors ?? [];
  return errors.every(({ path }) => /^[/?]|^$/.test(path)) ? errors : [];
}

/** Operations without a body accept an empty object and a tenantId, because some clients always send a body. */
function isEmptyBody(sent: unknown): boolean {
  if (sent === undefined) return true;
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return false;
  return Object.entries(sent).every(([name, value]) => name === "tenantId" && typeof value === "string");
}
