import type { Caller } from "../api/endpoint.ts";
import type { Write } from "../storage/storage.ts";
import type { RequestSummary } from "./http-runtime.ts";
import type { PendingWork } from "./load-limits.ts";

type Log = (fields: Readonly<Record<string, unknown>>, message: string) => void;
type OnCommitted = (writes: readonly Write[], caller: Caller) => void | Promise<void>;
type OnRequest = (summary: RequestSummary) => void;

/** Returns a function that calls the host's hook without waiting for it. Errors of the hook are logged. */
export function notifyCommitted(hook: OnCommitted, background: PendingWork, log: Log) {
  return (writes: readonly Write[], caller: Caller): void => {
    const call = async (): Promise<void> => {
      try {
        await hook(writes, caller);
      } catch (err) {
        log({ err, tenantId: caller.tenantId }, "onCommitted failed");
      }
    };
    void background.run(call);
  };
}

/** Returns a function that calls the host's hook. Errors of the hook are logged. */
export function notifyRequest(hook: OnRequest, log: Log) {
  return (summary: RequestSummary): void =>
    callSafely(
      () => hook(summary),
      (err) => log({ err, requestId: summary.requestId }, "onRequest failed"),
    );
}

/** Calls a function of the host, which may throw or return a promise that rejects. */
export function callSafely(call: () => unknown, onError: (error: unknown) => void): void {
  try {
    const returned = call();
    if (returned instanceof Promise) returned.catch(onError);
  } catch (error) {
    onError(error);
  }
}
