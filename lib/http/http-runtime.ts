import type { ApiCounts } from "../api/api-counts.ts";
import type { Runtime } from "../api/run-endpoint.ts";
import type { RateLimiter } from "../auth/rate-limiter.ts";
import type { RequestSource } from "../storage/request-log.ts";
import type { ApiKeyWithScopes } from "../storage/storage.ts";
import type { AuthDependencies } from "./authenticate-request.ts";
import type { PendingWork, TenantQueue, UnsentBytes } from "./load-limits.ts";
import type { EndedRequest, RequestTrace } from "./request-log.ts";
import type { WaitingRequests } from "./waiting-requests.ts";

/** The parts of an API that the app needs. */
export type HttpRuntime = Runtime &
  AuthDependencies & {
    readonly rateLimiter: RateLimiter;
    readonly requests: PendingWork;
    /** Work that responses don't wait for. */
    readonly background: PendingWork;
    /** Limits the requests that run at the same time. A request doesn't count while its body arrives. */
    readonly concurrency: PendingWork;
    readonly longRequests: TenantQueue;
    readonly pages: TenantQueue;
    readonly unsent: UnsentBytes;
    readonly waiting: WaitingRequests;
    /** Records that an API key was used. */
    readonly recordKeyUse: (key: ApiKeyWithScopes) => void;
    /** Logs a request that has ended. Must not throw. */
    readonly onEnd: (trace: RequestTrace, ended: EndedRequest) => void;
    readonly source: RequestSource;
    readonly counts: ApiCounts;
    /** Monotonic time in milliseconds. */
    readonly now: () => number;
  };

/** Returns a runtime that notes the writes of a request in its trace. */
export function withWrites(runtime: HttpRuntime, trace: RequestTrace): HttpRuntime {
  const onCommitted: HttpRuntime["onCommitted"] = (writes, caller, events) => {
    trace.writes = writes;
    runtime.onCommitted?.(writes, caller, events);
  };
  return { ...runtime, onCommitted };
}
