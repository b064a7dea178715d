import type { FieldError } from "../../lib/index.ts";
import { pointerTo, type Reader, type Tree } from "./reader.ts";
import type { Answered } from "./response-problems.ts";

/** Errors that depend on stored data, so that no schema can express them: a code, or a path and a code. */
const byState: readonly string[] = ["read_only", "/scopes required"];

function dependsOnState({ path, code }: FieldError): boolean {
  return byState.includes(code) || byState.includes(`${path} ${code}`);
}

/**
 * In what a request that was accepted does not fit the description; or that one fits which was refused because of its
 * shape alone.
 */
export function requestProblems(reader: Reader, answered: Answered): readonly string[] {
  if (!("sent" in answered)) return [];
  const { method, url, sent, status, text } = answered;
  const address = URL.parse(url);
  if (address === null) return [];
  const { pathname, searchParams } = address;
  const { operation } = reader.route(method, pathname);
  if (operation === undefined) return [];
  const misfits = [...bodyMisfits(reader, operation, sent), ...queryMisfits(reader, operation, searchParams)];
  if (status < 300) return misfits.map((misfit) => `${misfit}, and was accepted`);
  const problems = shapeProblems(status, text);
  const told = problems.length > 0 && !problems.some(dependsOnState) && !isBroken(url, sent);
  return told && misfits.length === 0 ? ["the request fits its schemas, and was refused for its shape"] : [];
}

/** Whether it has what no schema speaks of: half of a character, or bytes that are no UTF-8. */
function isBroken(url: string, sent: unknown): boolean {
  try {
    decodeURIComponent(url);
  } catch {
    return true;
  }
  return /\\ud[89a-f]/.test(JSON.stringify(sent) ?? "");
}

function bodyMisfits(reader: Reader, operation: string, sent: unknown): readonly string[] {
  const { value } = reader.at(`${operation}/requestBody`);
  if (value === undefined) return isNothing(sent) ? [] : ["a body says something where none is described"];
  if (sent === undefined) return (value.required as unknown) === true ? ["there is no body"] : [];
  const schema = operation + pointerTo("requestBody", "content", "application/json", "schema");
  return reader.misfits(schema, sent, "the body sent");
}

function queryMisfits(reader: Reader, operation: string, sent: URLSearchParams): readonly string[] {
  const declared = Object.keys(reader.at(`${operation}/parameters`).value ?? {})
    .map((index) => reader.at(`${operation}/parameters/${index}`))
    .filter(({ value }) => String(value?.in) === "query");
  const named = new Map(declared.map((each) => [String(each.value?.name), each]));
  const misfits = [...sent].flatMap(([name, text]) => {
    const parameter = named.get(name);
    if (parameter === undefined) return [`there is no parameter ${name}`];
    // Blanks around a tenant id are let through, and nothing that anyone should count on.
    const value = typed(name === "tenantId" ? text.trim() : text, parameter.value?.schema);
    return reader.misfits(`${parameter.pointer}/schema`, value, `?${name}`);
  });
  const missing = [...named].filter(([name, { value }]) => (value?.required as unknown) === true && !sent.has(name));
  const twice = [...new Set(sent.keys())].filter((name) => sent.getAll(name).length > 1);
  return [
    ...misfits,
    ...missing.map(([name]) => `?${name} is missing`),
    ...twice.map((name) => `?${name} stands twice`),
  ];
}

/** A parameter's text as the value that its schema is about. */
function typed(text: string, schema: Tree | undefined): unknown {
  const type = String(schema?.type);
  if (type === "integer" && /^-?\d+$/.test(text)) return Number(text);
  return type === "boolean" && (text === "true" || text === "false") ? text === "true" : text;
}

/** What was wrong with the shape of body and query, where nothing else was. */
function shapeProblems(status: number, text: string): readonly FieldError[] {
  if (status !== 400) return [];
  const { error } = JSON.parse(text) as { error: { details?: { errors?: readonly FieldError[] } } };
  const errors = error.details?.errors ?? [];
  return errors.every(({ path }) => /^[/?]|^$/.test(path)) ? errors : [];
}

/** What an operation without a body takes all the same, from libraries that always send one. */
function isNothing(sent: unknown): boolean {
  if (sent === undefined) return true;
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return false;
  return Object.entries(sent).every(([name, value]) => name === "tenantId" && typeof value === "string");
}
