import type { IncomingMessage, ServerResponse } from "node:http";
import type { MiddlewareHandler } from "hono";
import { compress } from "hono/compress";
import { cors } from "hono/cors";
import type { Endpoint } from "../api/endpoint.ts";
import type { EndpointResponse } from "../api/run-endpoint.ts";
import type { RateLimitResult } from "../auth/rate-limiter.ts";
import { ApiError } from "../model/errors.ts";
import { uuidV7 } from "../model/uuid.ts";
import { NewerSchema } from "../storage/newer-schema.ts";
import type { RequestSource } from "../storage/request-log.ts";
import { StorageUnavailable } from "../storage/storage.ts";
import { relativeLocation } from "./paths.ts";

/** Data about a request that `Request` doesn't contain. The second parameter of `fetch`. */
export type RequestEnv = {
  /** The client address. Failed authentication is limited by it. The default is the address of the socket. */
  readonly remoteAddress?: string | undefined;
  /** The request object of the host's framework, for `authenticate`. */
  readonly hostRequest?: unknown;
  /** The Node request and response, set by @hono/node-server. */
  readonly incoming?: IncomingMessage | undefined;
  readonly outgoing?: ServerResponse | undefined;
  /** The part of the program that passes the request on, for the request log. The default is `http`. */
  readonly source?: RequestSource | undefined;
  /** Aborted when the server stops. Waits for records then end. */
  readonly stopping?: AbortSignal | undefined;
  /** Reads the body and sends the response in place of `Request` and `Response`. */
  readonly transport?: RawExchange | undefined;
};

/** Reads the headers and the body of a request and sends its response. It is faster than `Request` and `Response`. */
export interface RawExchange {
  /** The default reads the headers of the Request. */
  readonly header?: HeaderReader;
  /** The default of `maxBytes` is that of the API. @throws ApiError `413 bad_request` if the body is larger */
  readBody(maxBytes?: number): Promise<Uint8Array> | Uint8Array;
  send(response: HttpResponse): void;
}

/** Reads a request header by its name in lower case. */
export type HeaderReader = (name: string) => string | null;

/** Returns the reader of the transport, which is faster than the headers of the Request. */
export function headerReader({ headers }: Request, env?: RequestEnv): HeaderReader {
  return env?.transport?.header ?? ((name) => headers.get(name));
}

/** Returns the address of the client, or null if it is unknown. */
export function clientAddress({ remoteAddress, incoming }: RequestEnv): string | null {
  return remoteAddress ?? incoming?.socket?.remoteAddress ?? null;
}

/** A response as plain data. Header names are in lower case. */
export type HttpResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
};

const validRequestId = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the request ID that the client sent if it is valid, otherwise a new one. */
export function resolveRequestId(sent: unknown, newId: () => string): string {
  if (typeof sent === "string" && validRequestId.test(sent)) return sent;
  try {
    const id = newId();
    if (validRequestId.test(id)) return id;
  } catch {
    // The ID generator of the host failed. The response still needs an ID.
  }
  return uuidV7(Date.now());
}

/** Returns the headers of every response. */
export function commonHeaders(requestId: string): Record<string, string> {
  return { "x-request-id": requestId, "cache-control": "no-store", "x-content-type-options": "nosniff" };
}

/** Returns the documented error envelope for anything that was thrown. */
export function errorResponse(
  error: unknown,
  requestId: string,
  method = "POST",
): HttpResponse & { readonly body: string } {
  const apiError = toApiError(error, requestId, method);
  const headers = { ...commonHeaders(requestId), "content-type": "application/json", ...lowerCase(apiError.headers) };
  return { status: apiError.status, headers, body: JSON.stringify(apiError) };
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Converts anything that was thrown to an `ApiError`. Server errors reveal neither their text nor their cause. */
export function toApiError(error: unknown, requestId: string, method = "POST"): ApiError {
  const details = { requestId };
  if (error instanceof ApiError) {
    const { code, message, status, headers } = error;
    return status < 500 ? error : new ApiError(code, message, { status, details, headers, cause: error.cause });
  }
  const retry = method === "POST" ? "Retry with the same Idempotency-Key." : "Retry the request.";
  if (error instanceof StorageUnavailable) {
    const headers = { "Retry-After": "1" };
    const reason =
      error instanceof NewerSchema
        ? "Temporarily unavailable: a newer version is replacing this server."
        : "Temporarily unavailable.";
    return new ApiError("internal_error", `${reason} ${retry}`, { status: 503, details, headers });
  }
  const message = `Internal error. ${retry} If the error persists, report the request ID.`;
  return new ApiError("internal_error", message, { details });
}

/** Returns the rate limit headers. `X-RateLimit-Reset` is in Unix seconds, rounded up. */
export function rateLimitHeaders(state: RateLimitResult, now: number): Record<string, string> {
  return {
    "x-ratelimit-limit": String(state.limit),
    "x-ratelimit-remaining": String(state.remaining),
    "x-ratelimit-reset": String(Math.ceil((now + state.resetMs) / 1000)),
  };
}

/** Returns `405 bad_request` with the allowed methods. */
export function methodNotAllowedError(method: string, allowed: readonly string[]): ApiError {
  const allow = allowed.join(", ");
  const message = `Method ${method.slice(0, 20)} isn't allowed. Allowed: ${allow}.`;
  return new ApiError("bad_request", message, { status: 405, headers: { Allow: allow } });
}

/** Returns `429 rate_limited`. A request after `Retry-After` seconds succeeds. */
export function rateLimitError(state: RateLimitResult, message: string): ApiError {
  const seconds = Math.max(1, Math.ceil(state.retryMs / 1000));
  const headers = { "Retry-After": String(seconds) };
  return new ApiError("rate_limited", `${message} Retry after ${seconds} s.`, { headers });
}

/** Adds the length of the body, without which `compress` compresses short bodies too. */
export function withContentLength(response: HttpResponse): HttpResponse {
  const { headers, body } = response;
  if (body === null) return response;
  return { ...response, headers: { ...headers, "content-length": String(Buffer.byteLength(body)) } };
}

/** Returns the response to a method that a path doesn't have: to OPTIONS, the methods that it has. @throws ApiError `405 bad_request` */
export function otherMethod(method: string, methods: ReadonlySet<string>): HttpResponse {
  const allowed = [...methods, ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"];
  if (method === "OPTIONS") return { status: 204, headers: { allow: allowed.join(", ") }, body: null };
  throw methodNotAllowedError(method, allowed);
}

/** Returns the HTTP response of an endpoint. */
export function successResponse(result: EndpointResponse, endpoint: Endpoint, url: string): HttpResponse {
  const headers: Record<string, string> = {};
  for (const name in result.headers) headers[name.toLowerCase()] = result.headers[name] as string;
  if (result.body !== null) headers["content-type"] = "application/json";
  if (result.replayed) headers["idempotent-replayed"] = "true";
  if (result.location !== null) headers.location = relativeLocation(url, endpoint.path, result.location);
  return { status: result.status, headers, body: result.body };
}

export type AppOptions = {
  /** Origins whose browser apps may call the API, such as `https://app.example.com`; `*` allows all. None by default. */
  readonly corsOrigins?: readonly string[];
  /** Whether to compress responses over 1 KiB if the client accepts it. Off by default. */
  readonly compress?: boolean;
  /**
   * Whether a trusted proxy sets X-Forwarded-Prefix. The OpenAPI description then has absolute paths of servers, which
   * survive a download. Off by default: the paths are relative to the description.
   */
  readonly forwardedPrefix?: boolean;
};

const minCompressedBytes = 1024;

/** Returns the middlewares for these options. They change the `Response`. */
export function corsAndCompression(options: AppOptions): readonly MiddlewareHandler[] {
  const { corsOrigins = [], compress: compresses = false } = options;
  return [
    ...(corsOrigins.length > 0 ? [cors(corsOptions(corsOrigins))] : []),
    ...(compresses ? [compress({ threshold: minCompressedBytes })] : []),
  ];
}

function corsOptions(origins: readonly string[]) {
  return {
    origin: origins.includes("*") ? "*" : [...origins],
    allowMethods: ["GET", "POST", "PATCH", "DELETE"],
    exposeHeaders: [
      ...[
        "ETag",
        "Idempotent-Replayed",
        "Link",
        "Location",
        "Preference-Applied",
        "Retry-After",
        "X-Next-Updated-Since",
        "X-Request-Id",
        "X-Total-Count",
        "X-Total-Count-Minimum",
      ],
      ...["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Upsert"],
    ],
    maxAge: 600,
  };
}
