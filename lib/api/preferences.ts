import type { FieldError, ValidationIssue } from "../model/errors.ts";
import type { Endpoint } from "./endpoint.ts";

type Request = { readonly prefer?: string | null | undefined };

const maxWaitSeconds = 30;

/** Returns whether the request must not write. A request with an invalid preference is rejected later. */
export function isDryRun(endpoint: Endpoint, { prefer }: Request): boolean {
  return endpoint.method !== "GET" && preferencesOf(prefer, dryRunForm).length > 0;
}

/** Returns the seconds of a valid `Prefer: wait=N`. */
export function waitSeconds(prefer: string | null | undefined): number | undefined {
  const [, seconds] = /^wait=(\d{1,2})$/i.exec(preferencesOf(prefer, waitForm)[0] ?? "") ?? [];
  return Number(seconds) >= 1 && Number(seconds) <= maxWaitSeconds ? Number(seconds) : undefined;
}

/** Returns the issues of the Prefer header. */
export function preferIssues(endpoint: Endpoint, request: Request): ValidationIssue[] {
  const { prefer } = request;
  if (endpoint.canWait && preferencesOf(prefer, waitForm).length > 0 && waitSeconds(prefer) === undefined)
    return [issue("out_of_range", `Prefer must be wait=N, with 1 to ${maxWaitSeconds} seconds, such as wait=20.`)];
  if (!isDryRun(endpoint, request)) return [];
  if (endpoint.hasDryRun === undefined)
    return [issue("invalid_format", "Prefer: dry-run isn't supported by this operation.")];
  if (preferencesOf(prefer, dryRunForm).every((preference) => preference.toLowerCase() === "dry-run")) return [];
  return [issue("invalid_format", "Prefer must be dry-run, without a value.")];
}

/** Misspelled preferences match too: a caller who misspells `dry-run` expects that nothing is written. */
const [dryRunForm, waitForm] = [/^dry[-_ ]?run\b/i, /^wait\b/i];

function preferencesOf(prefer: string | null | undefined, form: RegExp): readonly string[] {
  if (!prefer) return [];
  const preferences = prefer.split(",").map((preference) => preference.trim());
  return preferences.filter((preference) => form.test(preference));
}

function issue(code: FieldError["code"], message: string): ValidationIssue {
  return { kind: "shape", problem: { path: "Prefer", code, message } };
}
