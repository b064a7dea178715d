import * as v from "valibot";
import { endpoints } from "../endpoints/index.ts";
import { type ValidationIssue, validationError } from "../model/errors.ts";
import { validate } from "../model/validate.ts";

/** What is to go wrong with requests. A delay may come before an answer or a drop. */
export type Fault = {
  /** The id of an operation, such as "createTask"; any operation where it is absent. */
  readonly operation?: string | undefined;
  /** How many requests, 1 where it is absent. */
  readonly times?: number | undefined;
  /** Answered so, and nothing is done. */
  readonly status?: 429 | 500 | 503 | undefined;
  /** The seconds in `Retry-After` of 429 and 503: 1 where it is absent. */
  readonly retryAfter?: number | undefined;
  /** Waits before it does anything: real milliseconds, whatever the clock of the test does. */
  readonly delayMs?: number | undefined;
  /** The connection ends without an answer: before anything is done, or when what was asked for is committed. */
  readonly drop?: "before-commit" | "after-commit" | undefined;
};

const operations = endpoints.map(({ name }) => name);

function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message));
}

const faultSchema = v.strictObject({
  operation: v.optional(v.picklist(operations)),
  times: v.optional(wholeNumber(1, 1_000_000), 1),
  status: v.optional(v.picklist([429, 500, 503])),
  retryAfter: v.optional(wholeNumber(0, 86_400), 1),
  delayMs: v.optional(wholeNumber(0, 3_600_000)),
  drop: v.optional(v.picklist(["before-commit", "after-commit"])),
});

type Planned = v.InferOutput<typeof faultSchema>;

/** What is to go wrong next, in the order in which it was said. */
export class Faults {
  #planned: Planned[] = [];

  /** Plans one. @throws ApiError `400 validation_error` where it is none */
  add(fault: Fault): void {
    const checked = validate(faultSchema, withoutAbsent(fault), "");
    if ("findings" in checked) throw validationError(checked.findings);
    const { status, drop, delayMs } = checked.value;
    if (status === undefined && drop === undefined && delayMs === undefined) throw validationError([lacking]);
    if (status !== undefined && drop !== undefined) throw validationError([both]);
    this.#planned.push(checked.value);
  }

  /** What has not happened yet, with the times that are left. */
  get pending(): readonly Fault[] {
    return this.#planned.map((fault) => ({ ...fault }));
  }

  clear(): void {
    this.#planned = [];
  }

  /** What happens to a request of this operation; it is used up by being asked for. */
  take(operation: string): Fault | undefined {
    const fault = this.#planned.find((each) => each.operation === undefined || each.operation === operation);
    if (fault === undefined) return undefined;
    fault.times -= 1;
    this.#planned = this.#planned.filter(({ times }) => times > 0);
    return fault;
  }
}

const lacking = rule("/status", "required", "Say what goes wrong: status (429, 500 or 503), delayMs or drop.");
const both = rule("/drop", "not_an_option", "A request that is answered cannot be dropped too: say status or drop.");

function rule(path: string, code: ValidationIssue["problem"]["code"], message: string): ValidationIssue {
  return { kind: "shape", problem: { path, code, message } };
}

function withoutAbsent(fault: unknown): unknown {
  if (typeof fault !== "object" || fault === null || Array.isArray(fault)) return fault;
  return Object.fromEntries(Object.entries(fault).filter(([, value]) => value !== undefined));
}
