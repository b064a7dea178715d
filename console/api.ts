import { CrmConnectionError, CrmError, createTransport, type RecordCount } from "crm-integrations/client";
import { takeEarlyResponse } from "./early-requests.ts";
import { pageSession, type Session, sessionHeaders } from "./page-session.ts";

export type { Session };

/** Values of a query string. Undefined and empty values are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export type CallOptions = {
  readonly query?: Query | undefined;
  readonly body?: unknown;
  /** The `updatedAt` of the record that the user sees. */
  readonly ifMatch?: string | undefined;
  readonly dryRun?: boolean;
  /** Identifies a POST that can be sent again after the page was closed. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal | undefined;
};

/** Another attempt at a request with this status can succeed. Status 0 is that of a request without a response. */
const retryableStatuses = [0, 429, 500, 502, 503, 504];

/** Keys of POSTs whose outcome is unknown, by path and body. If the user sends one again, it takes the same key. */
const unresolvedKeys = new Map<string, string>();

type SessionEvents = {
  /** The session has ended. Requests wait until `resumeCalls` is called. */
  onEnded(): void;
  /** The user isn't an admin anymore. */
  onRejected(): void;
  /** The browser has another session than the page, because the user signed in in another tab. */
  onOther(session: Session): void;
};

let events: SessionEvents | undefined;
let waiting: PromiseWithResolvers<void> | undefined;

export function handleSessionEvents(handlers: SessionEvents): void {
  events = handlers;
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

/** Long enough for a large body on a slow network. */
const timeoutMs = 300_000;
const send = createTransport({ baseUrl: "", fetch: fetchInSession, retries: 5, timeoutMs });

/** Adds the session of the page. If it has ended, waits until the user has signed in again. */
async function fetchInSession(url: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const headers = { ...init.headers, ...(pageSession && sessionHeaders(pageSession)) };
    const response = (await takeEarlyResponse(init.method, url)) ?? (await fetch(url, { ...init, headers }));
    if (response.status !== 401 || url === "session") return response;
    await waitForSession();
  }
}

/**
 * Calls an endpoint. `path` is below the console, such as `api/v1/accounts`. Retries if that is safe: a POST has an
 * Idempotency-Key, so that it happens once. If the session has ended, waits until the user has signed in again.
 * @throws CrmError with status 0 if there is no response
 */
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<Result<T>> {
  const { query, ifMatch, signal, ...others } = options;
  const { body } = others;
  const request = `${method} ${path} ${JSON.stringify(body)}`;
  const idempotencyKey = options.idempotencyKey ?? unresolvedKeys.get(request) ?? randomKey();
  unresolvedKeys.delete(request);
  try {
    const url = path + toQueryString(query);
    const optional = { ...(ifMatch !== undefined && { ifMatch }), ...(signal && { signal }) };
    const response = await send(method, url, { ...others, ...optional, idempotencyKey });
    return { ...(response.body as Result<T>), ...countIn(response.headers) };
  } catch (thrown) {
    if (!(thrown instanceof CrmError || thrown instanceof CrmConnectionError)) throw thrown;
    const error = thrown instanceof CrmError ? thrown : new CrmError(0, { error: { code: "network" } }, null);
    const { code, status, details } = error;
    // A session has all scopes, unless the user isn't an admin anymore.
    if (code === "insufficient_scope") events?.onRejected();
    if (details.reason === "other_session") events?.onOther(details.session as Session);
    if (method === "POST" && body !== undefined && retryableStatuses.includes(status))
      unresolvedKeys.set(request, idempotencyKey);
    throw error;
  }
}

/** Returns the number of matches in the headers of a page, if it was requested. */
function countIn(headers: Headers): { readonly count?: RecordCount } {
  const count = headers.get("x-total-count");
  if (count === null) return {};
  return { count: { count: Number(count), isMinimum: headers.has("x-total-count-minimum") } };
}

/** Returns what a path has. */
export async function read<T>(path: string, options?: CallOptions): Promise<T> {
  return (await call<T>("GET", path, options)).data;
}

/** Reads all pages of a list. */
export async function readAll<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<readonly T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await call<readonly T[]>("GET", path, { query: { limit: 100, ...query, cursor }, signal });
    all.push(...page.data);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

/** Returns the URL of a path of the API for other programs. */
export function publicUrl(path: string): string {
  return `${location.origin}/integrations/v1/${path}`;
}

export function toQueryString(query: Query = {}): string {
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
