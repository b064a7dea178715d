import { type Engine, type Reply, run } from "../api.ts";
import { assertAdministrator } from "../auth/administrator.ts";
import type { Caller, Endpoint } from "../endpoint.ts";
import type { Limiter, LimitState } from "../limits.ts";
import { StorageUnavailable } from "../storage.ts";
import { Door } from "./admission.ts";
import {
  asApiError,
  commonHeaders,
  errorAnswer,
  type HttpAnswer,
  limitHeaders,
  rateLimited,
  requestIdOf,
} from "./answer.ts";
import type { Asked } from "./asked.ts";
import { hashOfBody, parseBody, readBody } from "./body.ts";
import { adminCaller, type CallerParts, integrationCaller, type Transport } from "./caller.ts";
import { clientNetwork } from "./client-network.ts";
import { parseQueryString } from "./query-string.ts";
import { basePath, type PageMatch, type Router } from "./router.ts";
import type { Trace } from "./summary.ts";
import type { Turns } from "./turns.ts";

/** `report` is told of every error that is ours. */
export type Parts = Engine &
  CallerParts & {
    readonly router: Router;
    readonly limiter: Limiter;
    readonly failureLimiter: Limiter;
    /** Requests that have come in whole, with their body, and have no answer yet. */
    readonly inFlight: Set<Asked>;
    readonly inFlightMax: number;
    readonly turns: Turns;
  };

/**
 * The order of checks over HTTP: route, body size, authentication, rate; then `run` takes over. Where there is a
 * `trace`, it is told what was found out on the way.
 */
export async function handle(parts: Parts, asked: Asked, transport: Transport, trace?: Trace): Promise<HttpAnswer> {
  const requestId = requestIdOf(asked.header("x-request-id"), parts.context.newId);
  if (trace !== undefined) trace.requestId = requestId;
  let rate: LimitState | undefined;
  try {
    const { pathname, search } = asked.address();
    const match = parts.router.match(asked.method, pathname);
    if ("page" in match) return pageAnswer(match, requestId);
    const { endpoint } = match;
    if (trace !== undefined) trace.operation = endpoint.name;
    const authenticate = () => authenticated(parts, endpoint, asked, transport, requestId);
    const door = new Door(authenticate, parts.limiter);
    const bytes = await readBody(asked, async () => {
      rate = await door.opensEarly();
      return rate?.accepted === true;
    });
    await parts.turns.wait();
    if (isFull(parts)) return overloaded(asked.method, requestId, trace);
    parts.inFlight.add(asked);
    const admission = await door.admit();
    rate = admission.rate;
    if (trace !== undefined) trace.caller = admission.caller;
    const { caller } = admission;
    if (!rate.accepted)
      throw rateLimited(rate, `Too many requests ${caller.keyId === null ? "of this user" : "with this key"}`);
    if (endpoint.access === "admin") await assertAdministrator(parts.storage, caller);
    const query = parseQueryString(search);
    const reply = await run(parts, endpoint, {
      caller,
      params: match.params,
      query: query.values,
      queryFindings: query.findings,
      body: () => parseBody(bytes, asked),
      bodyHash: () => hashOfBody(bytes, asked),
      idempotencyKey: asked.header("idempotency-key"),
      tenantId: asked.header("x-tenant-id"),
      rate,
    });
    if (trace !== undefined) trace.replayed = reply.replayed;
    const prefix = `${transport.prefix ?? ""}${match.prefix}`;
    return success(reply, prefix, requestId, limitHeaders(rate, parts.context.clock.now()));
  } catch (error) {
    const { status, code } = asApiError(error, requestId);
    if (status >= 500) parts.report(error, requestId);
    if (trace !== undefined) trace.code = code;
    const answer = errorAnswer(error, requestId, asked.method);
    // Nor of a key that was known when its body began to come in, and is not any more.
    if (rate === undefined || status === 401) return answer;
    return { ...answer, headers: { ...answer.headers, ...limitHeaders(rate, parts.context.clock.now()) } };
  } finally {
    parts.inFlight.delete(asked);
  }
}

/** Whether one more request had better be told at once that it cannot be done soon. */
export function isFull({ inFlight, inFlightMax }: Parts): boolean {
  return inFlight.size >= inFlightMax;
}

/** More than this process can do soon, or nothing any more. It is no error to report: there would be very many. */
export function overloaded(method: string, requestId: string, trace?: Trace): HttpAnswer {
  if (trace !== undefined) Object.assign(trace, { requestId, code: "internal_error" });
  return errorAnswer(new StorageUnavailable("overloaded or closing"), requestId, method);
}

/** Who fails to authenticate is limited by address; who succeeds is never held up by others at that address. */
async function authenticated(
  parts: Parts,
  endpoint: Endpoint,
  asked: Asked,
  transport: Transport,
  requestId: string,
): Promise<Caller> {
  try {
    if (endpoint.access === "admin") return await adminCaller(parts, asked);
    return await integrationCaller(parts, asked, transport, requestId);
  } catch (error) {
    if (asApiError(error, "").status !== 401) throw error;
    const failures = await parts.failureLimiter.take(clientNetwork(transport.remoteAddress ?? "unknown"));
    throw failures.accepted ? error : rateLimited(failures, "Too many failed authentications from this address");
  }
}

function pageAnswer({ page, prefix, params }: PageMatch, requestId: string): HttpAnswer {
  const { headers, ...answer } = page.answer(prefix, params);
  return { ...answer, headers: { ...commonHeaders(requestId), ...headers } };
}

function success(reply: Reply, prefix: string, requestId: string, limits: Record<string, string>): HttpAnswer {
  const headers: Record<string, string> = { ...commonHeaders(requestId), ...limits };
  for (const name in reply.headers) headers[name.toLowerCase()] = reply.headers[name] as string;
  if (reply.body !== null) headers["content-type"] = "application/json";
  if (reply.replayed) headers["idempotent-replayed"] = "true";
  if (reply.location !== null) headers.location = localPath(`${prefix}${basePath}${reply.location}`);
  return { status: reply.status, headers, body: reply.body };
}

/** Two slashes at the front would make a host of what follows. */
function localPath(path: string): string {
  return path.replace(/^[/\\]+/, "/");
}
