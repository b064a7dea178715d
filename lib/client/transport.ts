import { CrmConnectionError, CrmError } from "./error.ts";

export type ClientOptions = {
  /** The URL that ends in `/integrations/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The default is the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Maximum number of retries after 429, 500, 502, 503, 504 or an incomplete response. The default is 4. */
  readonly retries?: number;
  /** Time limit for one attempt. The default is 30,000. */
  readonly timeoutMs?: number;
  /** Waits before a retry. The default uses `setTimeout`. `signal` is the signal of the call. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
};

/** The options of `createTransport`. Without an API key, `fetch` must authenticate the requests. */
export type TransportOptions = Omit<ClientOptions, "apiKey"> & Partial<Pick<ClientOptions, "apiKey">>;

export type CallOptions = {
  /** Aborts the call, including the wait before a retry. */
  readonly signal?: AbortSignal;
  /**
   * Identifies the operation: a UUID, or another printable ASCII text of 1 to 255 characters, so that a repeated POST
   * has no second effect. The default is a new one per call; retries reuse it.
   */
  readonly idempotencyKey?: string;
};

/** Options of a request that writes. */
export type WriteOptions = CallOptions & {
  /** Whether to run all checks and return the response without writing anything. */
  readonly dryRun?: boolean;
};

/** Options of an update or archive. */
export type ChangeOptions = WriteOptions & {
  /**
   * The `updatedAt` of the record that you read. If the record has changed since, nothing is written and the call
   * throws a `CrmError` with status 412.
   */
  readonly ifMatch?: string;
};

export type RequestOptions = ChangeOptions & {
  /** The `updatedAt` of the record that you have. */
  readonly ifNoneMatch?: string;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly body?: unknown;
  /** How long a list waits for records if there are none: 1 to 30 seconds. */
  readonly waitSeconds?: number;
  /** Whether a POST only reads. Then no idempotency key is generated, so that no response is stored. */
  readonly isReadOnly?: boolean;
};

/** A successful response. `body` is the parsed JSON, or undefined without a body. */
export type ClientResponse = { readonly body: unknown; readonly headers: Headers };

export type SendRequest = (method: string, path: string, options?: RequestOptions) => Promise<ClientResponse>;

const retryableStatuses = [429, 500, 502, 503, 504];
const minBackoffMs = 250;
const maxBackoffMs = 8_000;
/** `setTimeout` fires at once if the delay is longer. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Returns a function that sends a request, with retries. It throws `CrmError` and `CrmConnectionError`.
 * @throws TypeError if the API key is empty or contains invalid characters
 */
export function createTransport(clientOptions: TransportOptions): SendRequest {
  const { apiKey, retries = 4, timeoutMs = 30_000, wait = pause } = clientOptions;
  if (apiKey !== undefined && !/^[!-~]+$/.test(apiKey))
    throw new TypeError("apiKey is empty or contains invalid characters.");
  const send = clientOptions.fetch ?? ((url, init) => fetch(url, init));
  const base = clientOptions.baseUrl.replace(/\/+$/, "");
  return async (method, path, options = {}) => {
    const { query = {}, body, signal, idempotencyKey, ifMatch, ifNoneMatch, dryRun, isReadOnly, waitSeconds } = options;
    const url = base + path + toQueryString(query);
    const headers: Record<string, string> = { accept: "application/json" };
    if (apiKey !== undefined) headers["x-api-key"] = apiKey;
    if (body !== undefined) headers["content-type"] = "application/json";
    const key = idempotencyKey ?? (method !== "POST" || isReadOnly ? undefined : crypto.randomUUID());
    if (key !== undefined && !/^[ -~]{1,255}$/.test(key))
      throw new TypeError("idempotencyKey must have 1 to 255 printable ASCII characters.");
    if (method === "POST" && key !== undefined) headers["idempotency-key"] = key;
    // The ETag of a record is its `updatedAt` in double quotes.
    if (ifMatch !== undefined) headers["if-match"] = `"${ifMatch}"`;
    if (ifNoneMatch !== undefined) headers["if-none-match"] = `"${ifNoneMatch}"`;
    if (dryRun) headers.prefer = "dry-run";
    if (waitSeconds !== undefined) headers.prefer = `wait=${waitSeconds}`;
    const text = body === undefined ? null : JSON.stringify(body);
    let mayHaveSucceeded = false;
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted();
      const timeout = AbortSignal.timeout(timeoutMs + (waitSeconds ?? 0) * 1_000);
      const abortSignal = signal ? AbortSignal.any([signal, timeout]) : timeout;
      // A redirect could turn a POST into a GET, and would send the API key to another server.
      const init: RequestInit = { method, headers, body: text, signal: abortSignal, redirect: "manual" };
      const outcome = await sendOnce(send, url, init);
      signal?.throwIfAborted();
      if ("body" in outcome) return outcome;
      const { error } = outcome;
      // An earlier attempt may have archived the record.
      if (method === "DELETE" && mayHaveSucceeded && error instanceof CrmError && error.status === 404)
        return { body: undefined, headers: new Headers() };
      mayHaveSucceeded ||= !(error instanceof CrmError && error.status === 429);
      const isRetryable =
        error instanceof CrmConnectionError || (error instanceof CrmError && retryableStatuses.includes(error.status));
      if (!isRetryable || attempt >= retries) throw error;
      const backoffMs = Math.random() * Math.min(maxBackoffMs, minBackoffMs * 2 ** attempt);
      await waitOrAbort(wait, outcome.retryMs ?? backoffMs, signal);
    }
  };
}

/** Waits. Aborting the signal stops the timer. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}

/** Waits until the time has passed or the signal aborts. */
async function waitOrAbort(wait: typeof pause, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal === undefined) return wait(ms);
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  await Promise.race([wait(ms, signal), promise]);
}

type Failure = { readonly error: unknown; readonly retryMs: number | undefined };

async function sendOnce(
  send: NonNullable<ClientOptions["fetch"]>,
  url: string,
  init: RequestInit,
): Promise<ClientResponse | Failure> {
  try {
    const response = await send(url, init);
    const text = await response.text();
    const { headers, status } = response;
    const body = parseJson(text);
    if (status === 204 || status === 304) return { body: undefined, headers };
    if (!response.ok) {
      const error = new CrmError(status, body, headers.get("x-request-id"), headers.get("location"));
      return { error, retryMs: parseRetryAfter(headers.get("retry-after")) };
    }
    if (typeof body === "object" && body !== null) return { body, headers };
    throw new SyntaxError(`The response with status ${status} isn't complete JSON, or doesn't come from the API.`);
  } catch (cause) {
    return { error: new CrmConnectionError(cause), retryMs: undefined };
  }
}

/** Parses `Retry-After`: a number of seconds, or a date. */
function parseRetryAfter(header: string | null): number | undefined {
  const seconds = Number(header ?? Number.NaN);
  const ms = Number.isNaN(seconds) ? Date.parse(header ?? "") - Date.now() : seconds * 1000;
  return ms >= 0 ? Math.min(ms, maxTimerMs) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toQueryString(query: NonNullable<RequestOptions["query"]>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.append(name, typeof value === "object" ? joinList(value) : String(value));
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

/** A backslash marks a comma or a backslash in a value. */
function joinList(values: readonly string[]): string {
  return values.map((value) => value.replace(/[\\,]/g, "\\$&")).join(",");
}
