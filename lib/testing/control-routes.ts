import * as v from "valibot";
import { parseBody } from "../http/body.ts";
import { type HttpResponse, methodNotAllowedError } from "../http/http-exchange.ts";
import { parseQueryString } from "../http/paths.ts";
import { dateTime } from "../model/date-time.ts";
import { ApiError, validationError } from "../model/errors.ts";
import { integer } from "../model/scalars.ts";
import { validate } from "../model/validate.ts";
import type { Fault, Faults } from "./faults.ts";
import type { RequestJournal } from "./request-journal.ts";
import type { TestClock } from "./test-clock.ts";

/** The parts of a test server that another program can control over HTTP. */
export type ControlTarget = {
  readonly clock: TestClock;
  readonly faults: Faults;
  readonly journal: RequestJournal;
  reset(): Promise<void>;
  /** Saves the state under a new name. */
  save(): string;
  /** Restores a saved state. Returns false if the name is unknown. */
  restore(name: string): Promise<boolean>;
};

/** Path prefix of the control routes, at the root of the server. */
export const controlPath = "/__fixtures/";

type Method = "GET" | "POST" | "DELETE";
type ControlRoute = Partial<Record<Method, (target: ControlTarget, body: unknown) => unknown>>;

const clockSchema = v.strictObject({
  now: v.optional(dateTime),
  advanceMs: v.optional(integer(0, Number.MAX_SAFE_INTEGER)),
});
const noBody = v.strictObject({});
const restoreSchema = v.strictObject({ snapshot: v.string("must be a string") });

const routes: Readonly<Record<string, ControlRoute>> = {
  "": { GET: () => routeList },
  reset: {
    async POST(target, body) {
      parse(noBody, body);
      await target.reset();
      return clockJson(target);
    },
  },
  snapshot: {
    POST(target, body) {
      parse(noBody, body);
      return { snapshot: target.save() };
    },
  },
  restore: {
    async POST(target, body) {
      const { snapshot } = parse(restoreSchema, body);
      if (await target.restore(snapshot)) return clockJson(target);
      const message = "There is no such snapshot. Create one with POST /__fixtures/snapshot.";
      throw validationError([{ kind: "shape", problem: { path: "/snapshot", code: "not_found", message } }]);
    },
  },
  clock: {
    GET: clockJson,
    POST(target, body) {
      const { now, advanceMs } = parse(clockSchema, body);
      if (now !== undefined) target.clock.set(now);
      if (advanceMs !== undefined) advance(target.clock, advanceMs);
      return clockJson(target);
    },
  },
  faults: {
    GET: ({ faults }) => faults.pending,
    POST({ faults }, body) {
      faults.add(body as Fault);
      return faults.pending;
    },
    DELETE({ faults }, body) {
      parse(noBody, body);
      faults.clear();
      return faults.pending;
    },
  },
  requests: { GET: ({ journal }) => journal.entries },
};

/** Handles a request under `/__fixtures/`. @throws ApiError */
export async function handleControl(
  target: ControlTarget,
  request: Request,
  readBody: () => Promise<Uint8Array>,
): Promise<HttpResponse> {
  const { method, url, headers } = request;
  const name = new URL(url).pathname.slice(controlPath.length).replace(/\/$/, "");
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
  if (route === undefined) throw new ApiError("not_found", `Unknown path. Control routes: ${routeList.join(", ")}.`);
  const handle = Object.hasOwn(route, method) ? route[method as Method] : undefined;
  if (handle === undefined) throw methodNotAllowedError(method, Object.keys(route));
  assertLocal(request);
  const query = parseQueryString(url);
  const unknown = validate(v.strictObject({}), query.values, "?");
  const issues = [...query.issues, ...("issues" in unknown ? unknown.issues : [])];
  if (issues.length > 0) throw validationError(issues);
  const bytes = await readBody();
  const data = await handle(target, bytes.length === 0 ? {} : parseBody(bytes, (name) => headers.get(name)));
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ data }) };
}

const routeList = Object.entries(routes).flatMap(([name, route]) =>
  Object.keys(route).map((method) => `${method} ${controlPath}${name}`),
);

/**
 * Rejects requests from web pages: a page in a local browser must not change the data or read the recorded requests.
 */
function assertLocal({ url, headers }: Request): void {
  const { hostname } = new URL(url);
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  if (isLocal && headers.get("origin") === null) return;
  throw new ApiError(
    "not_found",
    "Control routes accept only requests with a local Host header and without an Origin header.",
  );
}

function advance(clock: TestClock, ms: number): void {
  try {
    clock.advance(ms);
  } catch {
    const message = "advanceMs moves the clock past the year 9999.";
    throw validationError([{ kind: "shape", problem: { path: "/advanceMs", code: "out_of_range", message } }]);
  }
}

function clockJson({ clock }: ControlTarget): { readonly now: string } {
  return { now: new Date(clock.now()).toISOString() };
}

function parse<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const result = validate(schema, value, "");
  if ("issues" in result) throw validationError(result.issues);
  return result.value;
}
