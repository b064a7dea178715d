import { setTimeout as wait } from "node:timers/promises";
import * as v from "valibot";
import { endpoints } from "../endpoints/index.ts";
import { type ValidationIssue, validationError } from "../model/errors.ts";
import { integer } from "../model/scalars.ts";
import { validate } from "../model/validate.ts";

/** An error to inject into requests. A delay can be combined with a status or a drop. */
export type Fault = {
  /** The name of an operation, such as "createTask". The default is any operation. */
  readonly operation?: string | undefined;
  /** Number of requests to affect. The default is 1. */
  readonly times?: number | undefined;
  /** Responds with this status. The request has no effect. */
  readonly status?: 429 | 500 | 503 | undefined;
  /** Seconds in the header `Retry-After` of 429 and 503. The default is 1. */
  readonly retryAfter?: number | undefined;
  /** Real milliseconds to wait before the request is handled, independent of the test clock. */
  readonly delayMs?: number | undefined;
  /** Closes the connection without a response, before the request has any effect or after its commit. */
  readonly drop?: "before-commit" | "after-commit" | undefined;
};

const operations = endpoints.map(({ name }) => name);

const faultSchema = v.strictObject({
  operation: v.optional(v.picklist(operations)),
  times: v.optional(integer(1, 1_000_000), 1),
  status: v.optional(v.picklist([429, 500, 503])),
  retryAfter: v.optional(integer(0, 86_400), 1),
  delayMs: v.optional(integer(0, 3_600_000)),
  drop: v.optional(v.picklist(["before-commit", "after-commit"])),
});

type PendingFault = v.InferOutput<typeof faultSchema>;

/** The faults to inject, in the order in which they were added. */
export class Faults {
  #pending: PendingFault[] = [];

  /** Adds a fault. @throws ApiError `400 validation_error` if it is invalid */
  add(fault: Fault): void {
    const result = validate(faultSchema, withoutUndefined(fault), "");
    if ("issues" in result) throw validationError(result.issues);
    const { status, drop, delayMs } = result.value;
    if (status === undefined && drop === undefined && delayMs === undefined) throw validationError([noEffect]);
    if (status !== undefined && drop !== undefined) throw validationError([statusAndDrop]);
    this.#pending.push(result.value);
  }

  /** The faults that haven't occurred yet, with the remaining `times`. */
  get pending(): readonly Fault[] {
    return this.#pending.map((fault) => ({ ...fault }));
  }

  clear(): void {
    this.#pending = [];
  }

  /** Returns the next fault for a request of this operation, and uses it up. */
  take(operation: string): Fault | undefined {
    const fault = this.#pending.find((each) => each.operation === undefined || each.operation === operation);
    if (fault === undefined) return undefined;
    fault.times -= 1;
    this.#pending = this.#pending.filter(({ times }) => times > 0);
    return fault;
  }
}

const noEffect = issue("/status", "required", "Set status (429, 500 or 503), delayMs or drop.");
const statusAndDrop = issue("/drop", "not_an_option", "status and drop can't be combined. Remove one of them.");

function issue(path: string, code: ValidationIssue["problem"]["code"], message: string): ValidationIssue {
  return { kind: "shape", problem: { path, code, message } };
}

function withoutUndefined(fault: unknown): unknown {
  if (typeof fault !== "object" || fault === null || Array.isArray(fault)) return fault;
  return Object.fromEntries(Object.entries(fault).filter(([, value]) => value !== undefined));
}

/** Waits for some milliseconds. Returns false if the signal aborts the wait. */
export function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<boolean> {
  return wait(ms, true, { signal }).catch(() => false);
}
