import { CrmConnectionError, CrmError } from "./error.ts";

export type ClientOptions = {
  /** Ends in `/integrations/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The platform's where it is absent. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** How often a request is tried again after 429, 500, 503 or no answer; 4 where it is absent. */
  readonly retries?: number;
  /** How long one try may take; 30,000 where it is absent. */
  readonly timeoutMs?: number;
  /** Waits before a try; the platform's timer where it is absent. `signal` is the call's, which may end the wait. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
};

export type CallOptions = {
  /** Ends the call, and the waiting for another try. */
  readonly signal?: AbortSignal;
  /** A uuid under which a POST happens once; a new one where it is absent and the POST writes. The same from try to try. */
  readonly idempotencyKey?: string;
};

/** Options of an update or archive. */
export type ChangeOptions = CallOptions & {
  /**
   * The `updatedAt` of the record that you read. If the record has changed since, nothing is written and the call
   * throws a `CrmError` with status 412.
   */
  readonly ifMatch?: string;
};

export type RequestOptions = ChangeOptions & {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** A POST that changes nothing: without a key of the caller's it has none, so that no answer is kept for it. */
  readonly isReadOnly?: boolean;
};

/** An answer that is a success: its JSON, undefined where there is none, and its headers. */
export type ClientResponse = { readonly body: unknown; readonly headers: Headers };

export type Send = (method: string, path: string, sent?: RequestOptions) => Promise<ClientResponse>;

const retriable = [429, 500, 502, 503, 504];
const backoffFirstMs = 250;
const backoffMaxMs = 8_000;
/** A timer that is set to more goes off at once. */
const timerMaxMs = 2 ** 31 - 1;

/**
 * Sends requests until they are answered, or have been tried often enough. @throws CrmError @throws CrmConnectionError
 * @throws TypeError at once where the key cannot be one
 */
export function createTransport(options: ClientOptions): Send {
  const { apiKey, retries = 4, timeoutMs = 30_000, wait = pause } = options;
  if (!/^[!-~]+$/.test(apiKey)) throw new TypeError("apiKey has a sign that no header can carry, or is empty.");
  const send = options.fetch ?? ((url, init) => fetch(url, init));
  const base = options.baseUrl.replace(/\/+$/, "");
  return async (method, path, { query = {}, body, signal, idempotencyKey, ifMatch, isReadOnly } = {}) => {
    const url = base + path + textOf(query);
    const headers: Record<string, string> = { "x-api-key": apiKey, accept: "application/json" };
    if (body !== undefined) headers["content-type"] = "application/json";
    const key = idempotencyKey ?? (isReadOnly ? undefined : crypto.randomUUID());
    if (method === "POST" && key !== undefined) headers["idempotency-key"] = key;
    // The ETag of a record is its `updatedAt` in double quotes.
    if (ifMatch !== undefined) headers["if-match"] = `"${ifMatch}"`;
    const text = body === undefined ? null : JSON.stringify(body);
    let mayHaveSucceeded = false;
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted();
      const timeout = AbortSignal.timeout(timeoutMs);
      const abortSignal = signal ? AbortSignal.any([signal, timeout]) : timeout;
      // What follows a redirect makes a GET of a POST, and takes the key along to wherever it leads.
      const init: RequestInit = { method, headers, body: text, signal: abortSignal, redirect: "manual" };
      const outcome = await once(send, url, init);
      signal?.throwIfAborted();
      if ("body" in outcome) return outcome;
      const { error } = outcome;
      // What a try before has archived is not there any more.
      if (method === "DELETE" && mayHaveSucceeded && error instanceof CrmError && error.status === 404)
        return { body: undefined, headers: new Headers() };
      mayHaveSucceeded ||= !(error instanceof CrmError && error.status === 429);
      const again =
        error instanceof CrmConnectionError || (error instanceof CrmError && retriable.includes(error.status));
      if (!again || attempt >= retries) throw error;
      await until(
        signal,
        wait,
        outcome.retryMs ?? Math.random() * Math.min(backoffMaxMs, backoffFirstMs * 2 ** attempt),
      );
    }
  };
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}

/** Waits, or ends at once where the caller gives up. */
async function until(
  signal: AbortSignal | undefined,
  wait: NonNullable<ClientOptions["wait"]>,
  ms: number,
): Promise<void> {
  if (signal === undefined) return wait(ms);
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  await Promise.race([wait(ms, signal), promise]);
}

type Failure = { readonly error: unknown; readonly retryMs: number | undefined };

async function once(
  send: NonNullable<ClientOptions["fetch"]>,
  url: string,
  init: RequestInit,
): Promise<ClientResponse | Failure> {
  try {
    const response = await send(url, init);
    const text = await response.text();
    const { headers, status } = response;
    const body = jsonOf(text);
    if (status === 204) return { body: undefined, headers };
    if (!response.ok) {
      const error = new CrmError(status, body, headers.get("x-request-id"), headers.get("location"));
      return { error, retryMs: retryMsOf(headers.get("retry-after")) };
    }
    if (typeof body === "object" && body !== null) return { body, headers };
    throw new SyntaxError(`The answer of status ${status} is not whole, or not the service's.`);
  } catch (cause) {
    return { error: new CrmConnectionError(cause), retryMs: undefined };
  }
}

/** A number of seconds, or a date, as proxies write it. */
function retryMsOf(header: string | null): number | undefined {
  const seconds = Number(header ?? Number.NaN);
  const ms = Number.isNaN(seconds) ? Date.parse(header ?? "") - Date.now() : seconds * 1000;
  return ms >= 0 ? Math.min(ms, timerMaxMs) : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(query: NonNullable<RequestOptions["query"]>): string {
  const said = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    return value === undefined ? [] : [[name, String(value)]];
  });
  return said.length === 0 ? "" : `?${new URLSearchParams(said)}`;
}
