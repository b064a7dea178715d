import { type FieldError, fieldErrorCodes, type ValidationIssue } from "../../model/errors.ts";
import type { Kind } from "../../model/kinds.ts";
import type { FieldValues } from "../../model/model.ts";
import type { EndpointCall, HandlerContext, HostRule } from "../endpoint.ts";

/** Runs the host rules on copies, so that they can't change the values after the checks. */
export async function runHostRules(
  kind: Kind,
  after: FieldValues,
  before: FieldValues | undefined,
  { caller }: EndpointCall,
  { rules }: HandlerContext,
): Promise<ValidationIssue[]> {
  const hostRules = ((rules as Readonly<Record<string, unknown>>)[kind] ?? []) as readonly HostRule<never>[];
  const results = hostRules.map(async (rule) =>
    rule(structuredClone(after) as never, structuredClone(before) as never, caller),
  );
  const errors = (await Promise.all(results)).flatMap((found) => found ?? []);
  const invalid = errors.find((error) => !isFieldError(error));
  if (invalid === undefined) return errors.map((problem) => ({ kind: "rule", problem }));
  throw new TypeError(`A rule for ${kind} returned ${JSON.stringify(invalid)}, expected { path, code, message }.`);
}

/** Hosts that aren't written in TypeScript can return anything. */
function isFieldError(error: FieldError): boolean {
  const { path, code, message } = Object(error) as FieldError;
  return typeof path === "string" && typeof message === "string" && fieldErrorCodes.includes(code);
}
