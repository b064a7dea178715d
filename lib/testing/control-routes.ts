import * as v from "valibot";
import { parseBody } from "../http/body.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { parseQueryString } from "../http/query-string.ts";
import { ApiError, validationError } from "../model/errors.ts";
import { dateTime } from "../model/scalars.ts";
import { validate } from "../model/validate.ts";
import type { Fault, Faults } from "./faults.ts";
import type { Journal } from "./request-journal.ts";
import type { TestClock } from "./test-clock.ts";

/** What another program can steer. */
export type ControlTarget = {
  readonly clock: TestClock;
  readonly faults: Faults;
  readonly journal: Journal;
  reset(): Promise<void>;
};

/** The path that the controls stand under, at the root of the server. */
export const controlPath = "/__fixtures/";

type Control = { readonly method: "GET" | "POST"; act(controlled: ControlTarget, body: unknown): unknown };

const milliseconds = "must be a whole number of milliseconds, 0 or more";
const clockSchema = v.strictObject({
  now: v.optional(dateTime),
  advanceMs: v.optional(v.pipe(v.number(milliseconds), v.integer(milliseconds), v.minValue(0, milliseconds))),
});

const controls: Readonly<Record<string, Control>> = {
  reset: {
    method: "POST",
    async act(controlled, body) {
      checked(v.strictObject({}), body);
      await controlled.reset();
      return shownClock(controlled);
    },
  },
  clock: {
    method: "POST",
    act(controlled, body) {
      const { now, advanceMs } = checked(clockSchema, body);
      if (now !== undefined) controlled.clock.set(now);
      if (advanceMs !== undefined) advance(controlled.clock, advanceMs);
      return shownClock(controlled);
    },
  },
  faults: {
    method: "POST",
    act({ faults }, body) {
      faults.add(body as Fault);
      return faults.pending;
    },
  },
  requests: { method: "GET", act: ({ journal }) => journal.entries },
};

/** Handles a request under `/__fixtures/`. @throws ApiError */
export async function handleControl(
  controlled: ControlTarget,
  request: Request,
  readBody: () => Promise<Uint8Array>,
): Promise<HttpResponse> {
  const { method, url, headers } = request;
  const { pathname } = new URL(url);
  const found = Object.entries(controls).find(([name]) => pathname === controlPath + name)?.[1];
  if (found === undefined) throw new ApiError("not_found", `There is nothing at this path; there are: ${places}.`);
  if (method !== found.method) {
    const message = `Method ${method.slice(0, 20)} isn't allowed. Allowed: ${found.method}.`;
    throw new ApiError("bad_request", message, { status: 405, headers: { Allow: found.method } });
  }
  assertLocal(request);
  const query = parseQueryString(url);
  const findings = [...query.findings, ...findingsOf(validate(v.strictObject({}), query.values, "?"))];
  if (findings.length > 0) throw validationError(findings);
  const bytes = await readBody();
  const data = await found.act(controlled, bytes.length === 0 ? {} : parseBody(bytes, (name) => headers.get(name)));
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ data }) };
}

const places = Object.entries(controls)
  .map(([name, { method }]) => `${method} ${controlPath}${name}`)
  .join(", ");

/** The pages that a browser on this machine shows can reach it too, and are not to change anything or read requests. */
function assertLocal({ url, headers }: Request): void {
  const { hostname } = new URL(url);
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  if (isLocal && headers.get("origin") === null) return;
  throw new ApiError("not_found", "The fixtures are for programs on this machine: send no Origin, and a local Host.");
}

function advance(clock: TestClock, ms: number): void {
  try {
    clock.advance(ms);
  } catch {
    const problem = {
      path: "/advanceMs",
      code: "out_of_range",
      message: "advanceMs leads beyond the year 9999.",
    } as const;
    throw validationError([{ kind: "shape", problem }]);
  }
}

function shownClock({ clock }: ControlTarget): { readonly now: string } {
  return { now: new Date(clock.now()).toISOString() };
}

function checked<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const outcome = validate(schema, value, "");
  if ("findings" in outcome) throw validationError(outcome.findings);
  return outcome.value;
}

function findingsOf(outcome: ReturnType<typeof validate>) {
  return "findings" in outcome ? outcome.findings : [];
}
