import assert from "node:assert/strict";
import type { FieldError } from "../../lib/index.ts";
import type { Result } from "./harness.ts";

/** The members of a task in a response that tests read. */
export type ShownTask = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly title: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** The `error` of a response. */
export type ShownError = {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> & { readonly errors?: readonly FieldError[] };
};

/** Returns the `data` of a response. Asserts its status. */
export function dataOf<T = ShownTask>(result: Result, status = 200): T {
  assert.equal(result.status, status, result.text);
  return (result.body as { data: T }).data;
}

/** Returns the `error` of a response. */
export function errorOf({ body }: Result): ShownError {
  return (body as { error: ShownError }).error;
}

/** Returns the status and the error in one line: `400 validation_error: /title required, ?limit out_of_range`. */
export function verdict(result: Result): string {
  if (result.status < 400) return String(result.status);
  const { code, details } = errorOf(result);
  const problems = (details?.errors ?? []).map((problem) => `${problem.path} ${problem.code}`);
  return `${result.status} ${code}${problems.length > 0 ? `: ${problems.join(", ")}` : ""}`;
}

/** Returns a response without its request ID, date and rate limit, which differ between equal responses. */
export function withoutVariableHeaders({ status, headers, text }: Result): unknown {
  const own = ([name]: [string, string]): boolean => !/^(?:x-request-id|date|x-ratelimit-\w+)$/.test(name);
  return { status, headers: Object.fromEntries([...headers].filter(own)), text };
}
