import type { Caller } from "../endpoint.ts";
import type { ErrorCode } from "../errors.ts";

/** One request as a log or a metric may show it: nothing that was sent, and nothing of what was answered. */
export type RequestSummary = {
  /** The id that the answer carries. The caller may have chosen it. */
  readonly requestId: string;
  /** The name of the operation, such as `listTasks`; null for a page, and where the path leads nowhere. */
  readonly operation: string | null;
  readonly status: number;
  /** The code of an error; null where there is none. */
  readonly code: ErrorCode | null;
  /** From when the request was handed over, while its body may still come in, to when its answer was made. */
  readonly durationMs: number;
  /** Whether an Idempotency-Key brought an earlier answer again. */
  readonly replayed: boolean;
  /** Null, like the next three, where the caller is not known. */
  readonly tenantId: string | null;
  readonly integrationId: string | null;
  readonly keyId: string | null;
  /** An administrator's, or whom the host vouched for. */
  readonly userId: string | null;
};

/** What is found out about a request on its way, for its summary. */
export type Trace = {
  readonly begun: number;
  requestId: string;
  operation: string | null;
  caller: Caller | undefined;
  code: ErrorCode | null;
  replayed: boolean;
};

export function newTrace(begun: number): Trace {
  return { begun, requestId: "", operation: null, caller: undefined, code: null, replayed: false };
}

export function summaryOf(trace: Trace, status: number, ended: number): RequestSummary {
  const { begun, caller, ...seen } = trace;
  const { tenantId = null, integrationId = null, keyId = null, userId = null } = caller ?? {};
  return { ...seen, status, durationMs: ended - begun, tenantId, integrationId, keyId, userId };
}
