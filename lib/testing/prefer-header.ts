import { openApiJson } from "../http/docs/description.ts";
import { ApiError, type ErrorCode, validationError } from "../model/errors.ts";

/** An error that a request has selected with the header `Prefer`. */
export type PreferredError = {
  readonly error: ApiError;
  /** The value of `Preference-Applied`. */
  readonly applied: string;
};

/** A part of the OpenAPI description. */
type Tree = { readonly [name: string]: Tree };
type ErrorBody = { readonly error: { code: ErrorCode; message: string; details?: Readonly<Record<string, unknown>> } };

const preferencePattern = /(?:^|[,;])\s*(code|example)\s*=\s*"?([^",;\s]*)/gi;

/**
 * Returns the error that `Prefer: code=409` or `Prefer: code=422, example=invalid_reference` selects, with the body of
 * the example in the OpenAPI description. Returns undefined if the header has no `code`.
 * @throws ApiError `400 validation_error` if the operation doesn't have the error
 */
export function preferredError(prefer: string | null, operation: string): PreferredError | undefined {
  const matches = [...(prefer ?? "").matchAll(preferencePattern)];
  const preferences = Object.fromEntries(matches.map(([, name = "", value = ""]) => [name.toLowerCase(), value]));
  const { code, example } = preferences as { readonly code?: string; readonly example?: string };
  if (code === undefined) return undefined;
  const errors = errorsOf(operation);
  const examples = errors[code];
  if (examples === undefined)
    throw invalidPreference(`${operation} has no error ${code.slice(0, 20)}`, Object.keys(errors));
  const { error } = examples[example ?? Object.keys(examples)[0] ?? ""] ?? {};
  if (error === undefined)
    throw invalidPreference(`${code} of ${operation} has no example ${example?.slice(0, 40)}`, Object.keys(examples));
  const headers = code === "401" ? { "WWW-Authenticate": 'Bearer realm="crm-integrations"' } : {};
  const { details } = error;
  const options = { status: Number(code), headers, ...(details === undefined ? {} : { details }) };
  const applied = example === undefined ? `code=${code}` : `code=${code}, example=${example}`;
  return { error: new ApiError(error.code, error.message, options), applied };
}

/** Returns the error examples of an operation, by status and by error code. */
function errorsOf(operation: string): Readonly<Record<string, Readonly<Record<string, ErrorBody>>>> {
  description ??= JSON.parse(openApiJson()) as Tree;
  const operations = Object.values(description.paths ?? {}).flatMap((path) => Object.values(path));
  const responses = operations.find(({ operationId }) => (operationId as unknown) === operation)?.responses ?? {};
  const errors = Object.entries(responses).filter(([status]) => status >= "400");
  return Object.fromEntries(errors.map(([status, response]) => [status, examplesOf(response)]));
}
let description: Tree | undefined;

function examplesOf(response: Tree): Record<string, ErrorBody> {
  const examples = resolveRef(response).content?.["application/json"]?.examples ?? {};
  return Object.fromEntries(
    Object.entries(examples).map(([name, example]) => [name, resolveRef(example).value as unknown as ErrorBody]),
  );
}

/** Follows a `$ref` within the description. */
function resolveRef(tree: Tree): Tree {
  const { $ref } = tree as { readonly $ref?: unknown };
  if (typeof $ref !== "string") return tree;
  return $ref
    .slice(2)
    .split("/")
    .reduce((at: Tree, name) => at[name] ?? {}, description ?? {});
}

function invalidPreference(reason: string, allowed: readonly string[]): ApiError {
  const message = `Prefer: ${reason}. Allowed: ${allowed.join(", ")}.`;
  return validationError([{ kind: "shape", problem: { path: "Prefer", code: "not_an_option", message, allowed } }]);
}
