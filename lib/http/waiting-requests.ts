import type { ServerResponse } from "node:http";
import type { Caller } from "../api/endpoint.ts";
import type { EndpointResponse } from "../api/run-endpoint.ts";
import { rateLimitKey } from "./load-limits.ts";

const [maxPerCaller, maxTotal] = [4, 500];
/** Commits of other processes are noticed after this time. */
const pollMs = 1_000;
/** Minimum time between two runs of a request whose page stays empty. It doubles from run to run, up to `pollMs`. */
const firstPauseMs = 10;

/** Requests for a page that wait for a commit of their tenant. */
export class WaitingRequests {
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #callers = new Map<string, number>();
  readonly #stopping = new AbortController();
  #total = 0;

  /**
   * Runs a request. While its page is empty and the last one, runs it again after each commit of the tenant, until the time
   * has passed. If too many requests wait, runs it once.
   */
  async run(
    caller: Caller,
    seconds: number,
    {
      outgoing,
      stopping,
    }: { readonly outgoing?: ServerResponse | undefined; readonly stopping?: AbortSignal | undefined },
    run: () => Promise<EndpointResponse>,
  ): Promise<EndpointResponse> {
    const key = rateLimitKey(caller);
    const count = this.#callers.get(key) ?? 0;
    if (this.#total >= maxTotal || count >= maxPerCaller) return run();
    this.#total++;
    this.#callers.set(key, count + 1);
    const wait = new Wait();
    const end = () => wait.end();
    const timer = setTimeout(end, seconds * 1_000).unref();
    const signals = [this.#stopping.signal, ...(stopping === undefined ? [] : [stopping])];
    for (const signal of signals) signal.aborted ? end() : signal.addEventListener("abort", end);
    outgoing?.once("close", end);
    const listener = () => wait.notify();
    this.#listeners.set(caller.tenantId, (this.#listeners.get(caller.tenantId) ?? new Set()).add(listener));
    try {
      return await wait.run(run, `wait=${seconds}`);
    } finally {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", end);
      outgoing?.off("close", end);
      this.#remove(caller, listener);
    }
  }

  /** Runs the waiting requests of a tenant again. */
  notify(tenantId: string): void {
    for (const listener of this.#listeners.get(tenantId) ?? []) listener();
  }

  /** Number of requests that wait. */
  get size(): number {
    return this.#total;
  }

  /** Ends all waits. Later requests run once. */
  close(): void {
    this.#stopping.abort();
  }

  #remove(caller: Caller, listener: () => void): void {
    const [key, { tenantId }] = [rateLimitKey(caller), caller];
    this.#total--;
    const count = (this.#callers.get(key) ?? 1) - 1;
    if (count > 0) this.#callers.set(key, count);
    else this.#callers.delete(key);
    const listeners = this.#listeners.get(tenantId);
    listeners?.delete(listener);
    if (listeners?.size === 0) this.#listeners.delete(tenantId);
  }
}

/** The wait of one request. */
class Wait {
  #isChanged = false;
  #hasEnded = false;
  #wake = (): void => {};

  notify(): void {
    this.#isChanged = true;
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  async run(run: () => Promise<EndpointResponse>, preference: string): Promise<EndpointResponse> {
    for (let pauseMs = 0; ; pauseMs = Math.min(pollMs, pauseMs * 2 || firstPauseMs)) {
      this.#isChanged = false;
      const isLast = this.#hasEnded;
      const response = await run();
      if (isLast || !isEmptyPage(response))
        return { ...response, headers: { ...response.headers, "Preference-Applied": preference } };
      await this.#sleep(pauseMs, () => this.#hasEnded);
      await this.#sleep(pollMs, () => this.#hasEnded || this.#isChanged);
    }
  }

  /** Waits until the wait ends or `isDone` returns true. */
  async #sleep(ms: number, isDone: () => boolean): Promise<void> {
    if (isDone() || ms === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#wake = () => {
        if (!isDone()) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}

function isEmptyPage({ body }: EndpointResponse): boolean {
  return body === '{"data":[],"nextCursor":null}';
}
