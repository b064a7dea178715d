import { openApiJson } from "../http/docs/docs-routes.ts";
import { ApiError, type ErrorCode, validationError } from "../model/errors.ts";

/** An error that a request has asked for. */
export type PreferredError = {
  readonly error: ApiError;
  /** What `Preference-Applied` says. */
  readonly applied: string;
};

/** A part of the description, as far as it is read here. */
type Tree = { readonly [name: string]: Tree };
type Shown = { readonly error: { code: ErrorCode; message: string; details?: Readonly<Record<string, unknown>> } };

const form = /(?:^|[,;])\s*(code|example)\s*=\s*"?([^",;\s]*)/gi;

/**
 * What `Prefer: code=409` or `Prefer: code=422, example=invalid_reference` asks for, as the description shows it;
 * undefined where nothing is asked for. @throws ApiError `400 validation_error` where the operation has no such error
 */
export function preferredError(prefer: string | null, operation: string): PreferredError | undefined {
  const asked = [...(prefer ?? "").matchAll(form)].map(([, name = "", value = ""]) => [name.toLowerCase(), value]);
  const { code, example } = Object.fromEntries(asked) as { readonly code?: string; readonly example?: string };
  if (code === undefined) return undefined;
  const errors = errorsOf(operation);
  const shown = errors[code];
  if (shown === undefined) throw refused(`${operation} has no error ${code.slice(0, 20)}`, Object.keys(errors));
  const { error } = shown[example ?? Object.keys(shown)[0] ?? ""] ?? {};
  if (error === undefined)
    throw refused(`${code} of ${operation} has no example ${example?.slice(0, 40)}`, Object.keys(shown));
  const headers = code === "401" ? { "WWW-Authenticate": 'Bearer realm="crm-integrations"' } : {};
  const { details } = error;
  const more = { status: Number(code), headers, ...(details === undefined ? {} : { details }) };
  const applied = example === undefined ? `code=${code}` : `code=${code}, example=${example}`;
  return { error: new ApiError(error.code, error.message, more), applied };
}

/** By status, then by error code. */
function errorsOf(operation: string): Readonly<Record<string, Readonly<Record<string, Shown>>>> {
  description ??= JSON.parse(openApiJson()) as Tree;
  const all = Object.values(description.paths ?? {}).flatMap((path) => Object.values(path));
  const found = all.find(({ operationId }) => (operationId as unknown) === operation)?.responses ?? {};
  const errors = Object.entries(found).filter(([status]) => status >= "400");
  return Object.fromEntries(errors.map(([status, answer]) => [status, examplesOf(answer)]));
}
let description: Tree | undefined;

function examplesOf(answer: Tree): Record<string, Shown> {
  const examples = resolved(answer).content?.["application/json"]?.examples ?? {};
  return Object.fromEntries(
    Object.entries(examples).map(([name, example]) => [name, resolved(example).value as unknown as Shown]),
  );
}

/** What stands at the end of a `$ref` into the description itself. */
function resolved(tree: Tree): Tree {
  const { $ref } = tree as { readonly $ref?: unknown };
  if (typeof $ref !== "string") return tree;
  return $ref
    .slice(2)
    .split("/")
    .reduce((at: Tree, name) => at[name] ?? {}, description ?? {});
}

function refused(what: string, allowed: readonly string[]): ApiError {
  const message = `Prefer: ${what}. There are: ${allowed.join(", ")}.`;
  return validationError([{ kind: "shape", problem: { path: "Prefer", code: "not_an_option", message, allowed } }]);
}
