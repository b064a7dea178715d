import type { FieldError } from "./types.ts";

/** A response with an error status. Branch on `code`; `message` is for people. */
export class CrmError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** The `error.code` of the API, or "unknown" if the response comes from a proxy. */
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Every error in the request, with its path. */
  readonly fieldErrors: readonly FieldError[];
  /** Include it when you report a problem. */
  readonly requestId: string | null;

  constructor(status: number, body: unknown, requestId: string | null, location: string | null = null) {
    const error = memberOf(body, "error");
    super(textOf(memberOf(error, "message")) ?? describeStatus(status, location));
    this.name = "CrmError";
    this.status = status;
    this.code = textOf(memberOf(error, "code")) ?? "unknown";
    this.details = (memberOf(error, "details") ?? {}) as Readonly<Record<string, unknown>>;
    this.fieldErrors = (memberOf(this.details, "errors") ?? []) as readonly FieldError[];
    this.requestId = requestId;
  }
}

/** No complete response after all attempts. It is unknown whether the request succeeded. */
export class CrmConnectionError extends Error {
  constructor(cause: unknown) {
    super("No complete response. It is unknown whether the request succeeded.", { cause });
    this.name = "CrmConnectionError";
  }
}

/** In a browser, a redirect has status 0 and no location. */
function describeStatus(status: number, location: string | null): string {
  if (status > 0 && (status < 300 || status > 399 || location === null))
    return `The server responded with status ${status}.`;
  return location === null
    ? "The server redirected to another URL. Set baseUrl to that URL."
    : `The server redirected to ${location}. Set baseUrl to that URL.`;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
