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
  /** Waits before a try; the platform's timer where it is absent. */
  readonly wait?: (ms: number) => Promise<void>;
};

export type CallOptions = {
  /** Ends the call, and the waiting for another try. */
  readonly signal?: AbortSignal;
  /** A uuid under which a POST happens once; a new one where it is absent and the POST writes. The same from try to try. */
  readonly idempotencyKey?: string;
};

export type Sent = CallOptions & {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** A POST that changes nothing: without a key of the caller's it has none, so that no answer is kept for it. */
  readonly readsOnly?: boolean;
};

/** An answer that is a success: its JSON, undefined where there is none, and its headers. */
export type Answer = { readonly body: unknown; readonly headers: Headers };

export type Send = (method: string, path: string, sent?: Sent) => Promise<Answer>;

const retriable = [429, 500, 502, 503, 504];
const backoffFirstMs = 250;
const backoffMaxMs = 8_000;
/** A timer that is set to more goes off at once. */
const timerMaxMs = 2 ** 31 - 1;

/** Sends requests until they are answered, or have been tried often enough. @throws CrmError @throws CrmConnectionError */
export function transport(options: ClientOptions): Send {
  const { apiKey, retries = 4, timeoutMs = 30_000 } = options;
  const wait = options.wait ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const send = options.fetch ?? ((url, init) => fetch(url, init));
  const base = options.baseUrl.replace(/\/+$/, "");
  return async (method, path, { query = {}, body, signal, idempotencyKey, readsOnly } = {}) => {
    const url = base + path + textOf(query);
    const headers: Record<string, string> = { "x-api-key": apiKey, accept: "application/json" };
    if (body !== undefined) headers["content-type"] = "application/json";
    const key = idempotencyKey ?? (readsOnly ? undefined : crypto.randomUUID());
    if (method === "POST" && key !== undefined) headers["idempotency-key"] = key;
    const text = body === undefined ? null : JSON.stringify(body);
    let mayBeDone = false;
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted();
      const timeout = AbortSignal.timeout(timeoutMs);
      const init = { method, headers, body: text, signal: signal ? AbortSignal.any([signal, timeout]) : timeout };
      const outcome = await once(send, url, init);
      signal?.throwIfAborted();
      if ("body" in outcome) return outcome;
      const { error } = outcome;
      // What a try before has archived is not there any more.
      if (method === "DELETE" && mayBeDone && error instanceof CrmError && error.status === 404)
        return { body: undefined, headers: new Headers() };
      mayBeDone ||= !(error instanceof CrmError && error.status === 429);
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

/** Waits, or ends at once where the caller gives up. */
async function until(signal: AbortSignal | undefined, wait: (ms: number) => Promise<void>, ms: number): Promise<void> {
  if (signal === undefined) return wait(ms);
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  await Promise.race([wait(ms), promise]);
}

type Failure = { readonly error: unknown; readonly retryMs: number | undefined };

async function once(
  send: NonNullable<ClientOptions["fetch"]>,
  url: string,
  init: RequestInit,
): Promise<Answer | Failure> {
  try {
    const response = await send(url, init);
    const text = await response.text();
    const { headers, status } = response;
    const body = jsonOf(text);
    if (response.ok && (body !== undefined || text === "")) return { body, headers };
    const seconds = Number(headers.get("retry-after") ?? Number.NaN);
    const retryMs = seconds >= 0 ? Math.min(seconds * 1000, timerMaxMs) : undefined;
    return { error: new CrmError(status, body, headers.get("x-request-id")), retryMs };
  } catch (cause) {
    return { error: new CrmConnectionError(cause), retryMs: undefined };
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(query: NonNullable<Sent["query"]>): string {
  const said = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    return value === undefined ? [] : [[name, String(value)]];
  });
  return said.length === 0 ? "" : `?${new URLSearchParams(said)}`;
}
