import type { FieldError, RecordCount } from "crm-integrations/client";

/** Values of a query string. Undefined and empty values are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export type CallOptions = {
  readonly query?: Query;
  readonly body?: unknown;
  /** The `updatedAt` of the record that the user sees. */
  readonly ifMatch?: string | undefined;
  readonly dryRun?: boolean;
  /** Identifies a POST that can be sent again after the page was closed. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
};

/** A response with an error status, or no response (status 0). */
export class CallError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Every error in the request, with its path. */
  readonly fieldErrors: readonly FieldError[];
  readonly requestId: string | null;

  constructor(status: number, body: unknown, requestId: string | null) {
    const { error = {} } = (body ?? {}) as { error?: { message?: string; code?: string; details?: object } };
    super(error.message ?? `The server responded with status ${status}.`);
    this.status = status;
    this.code = error.code ?? "unknown";
    this.details = (error.details ?? {}) as Readonly<Record<string, unknown>>;
    this.fieldErrors = (this.details.errors ?? []) as readonly FieldError[];
    this.requestId = requestId;
  }
}

const maxRetries = 5;
const retryableStatuses = [429, 500, 502, 503, 504];

/** Keys of POSTs whose outcome is unknown, by path and body. If the user sends one again, it takes the same key. */
const unresolvedKeys = new Map<string, string>();

/** The signed-in admin. */
export type Session = {
  readonly id: string;
  readonly user: { readonly id: string; readonly name: string; readonly email: string | null };
  readonly tenant: { readonly id: string; readonly name: string };
  readonly expiresAt: string;
  /** Whether the server has passkeys at this address. */
  readonly passkeys: boolean;
};

type SessionEvents = {
  /** The session has ended. Requests wait until `resumeCalls` is called. */
  onEnded(): void;
  /** The user isn't an admin anymore. */
  onRejected(): void;
  /** The browser has another session than the page, because the user signed in in another tab. */
  onOther(session: Session): void;
};

let events: SessionEvents | undefined;
let pageSession: Session | undefined;
let waiting: PromiseWithResolvers<void> | undefined;

export function handleSessionEvents(handlers: SessionEvents): void {
  events = handlers;
}

/** Sets the session that the page shows. The server rejects requests of the page for any other session. */
export function setPageSession(session: Session): void {
  pageSession = session;
}

/** Sends the requests that wait for a session. */
export function resumeCalls(): void {
  waiting?.resolve();
  waiting = undefined;
}

function waitForSession(): Promise<void> {
  waiting ??= Promise.withResolvers();
  events?.onEnded();
  return waiting.promise;
}

/** A response with one record or a list: its body, and the number of matches in its headers. */
export type Result<T> = {
  readonly data: T;
  readonly nextCursor?: string | null;
  readonly count?: RecordCount;
};

/**
 * Calls an endpoint. `path` is below the console, such as `api/v1/accounts`. Retries if that is safe: a POST has an
 * Idempotency-Key, so that it happens once. If the session has ended, waits until the user has signed in again.
 * @throws CallError
 */
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<Result<T>> {
  if (method !== "POST" || options.body === undefined) return send(method, path, options);
  const request = `${path} ${JSON.stringify(options.body)}`;
  const idempotencyKey = options.idempotencyKey ?? unresolvedKeys.get(request) ?? randomKey();
  unresolvedKeys.delete(request);
  try {
    return await send<T>(method, path, { ...options, idempotencyKey });
  } catch (error) {
    if (error instanceof CallError && canRetry(error)) unresolvedKeys.set(request, idempotencyKey);
    throw error;
  }
}

function canRetry({ status }: CallError): boolean {
  return status === 0 || retryableStatuses.includes(status);
}

async function send<T>(method: string, path: string, options: CallOptions): Promise<Result<T>> {
  const { query = {}, body, ifMatch, dryRun, signal } = options;
  const headers: Record<string, string> = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (method === "POST") headers["idempotency-key"] = options.idempotencyKey ?? randomKey();
  if (ifMatch !== undefined) headers["if-match"] = `"${ifMatch}"`;
  if (dryRun) headers.prefer = "dry-run";
  if (pageSession !== undefined) headers["console-session"] = `${pageSession.tenant.id}/${pageSession.user.id}`;
  const url = path + toQueryString(query);
  const init: RequestInit = { method, headers, signal: signal ?? null };
  if (body !== undefined) init.body = JSON.stringify(body);
  for (let attempt = 0; ; attempt++) {
    const outcome = await fetch(url, init).then(readResponse, (error) => {
      signal?.throwIfAborted();
      return {
        error: new CallError(0, { error: { code: "network", message: String(error.message) } }, null),
        retryMs: 0,
      };
    });
    if ("result" in outcome) return outcome.result as Result<T>;
    const { error, retryMs } = outcome;
    if (error.status === 401 && path !== "session") {
      await waitForSession();
      attempt = -1;
    } else {
      // A session has all scopes, unless the user isn't an admin anymore.
      if (error.code === "insufficient_scope") events?.onRejected();
      if (error.details.reason === "other_session") events?.onOther(error.details.session as Session);
      if (!canRetry(error) || attempt >= maxRetries) throw error;
      await wait(retryMs || 250 * 2 ** attempt);
    }
    signal?.throwIfAborted();
  }
}

type Outcome = { readonly result: unknown } | { readonly error: CallError; readonly retryMs: number };

async function readResponse(response: Response): Promise<Outcome> {
  const text = await response.text();
  const body = text === "" ? {} : parseJson(text);
  if (response.ok && body !== undefined) return { result: { ...body, ...countIn(response.headers) } };
  const error = new CallError(response.status, body, response.headers.get("x-request-id"));
  return { error, retryMs: Number(response.headers.get("retry-after") ?? 0) * 1000 || 0 };
}

/** Returns the number of matches in the headers of a page, if it was requested. */
function countIn(headers: Headers): { readonly count?: RecordCount } {
  const count = headers.get("x-total-count");
  if (count === null) return {};
  return { count: { count: Number(count), isMinimum: headers.has("x-total-count-minimum") } };
}

/** Reads all pages of a list. */
export async function readAll<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<readonly T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const options = { query: { limit: 100, ...query, cursor }, ...(signal === undefined ? {} : { signal }) };
    const page = await call<readonly T[]>("GET", path, options);
    all.push(...page.data);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the URL of a path of the API for other programs. */
export function publicUrl(path: string): string {
  return `${location.origin}/integrations/v1/${path}`;
}

export function toQueryString(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "" && value !== false) parameters.append(name, String(value));
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

/** Returns a random key. `crypto.randomUUID` needs https. */
function randomKey(): string {
  return crypto
    .getRandomValues(new Uint8Array(16))
    .reduce((text, byte) => text + byte.toString(16).padStart(2, "0"), "");
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
