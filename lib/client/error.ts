import type { FieldError } from "./types.ts";

/** An answer that is not a success. Decide by `code`; `message` is for people. */
export class CrmError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** The service's `error.code`; "unknown" where something else on the way has answered. */
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Everything that is wrong with the request, each with its place. */
  readonly fieldErrors: readonly FieldError[];
  /** What to tell whoever runs the service. */
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

/** No whole answer came, however often it was tried. Whether the request was carried out is unknown. */
export class CrmConnectionError extends Error {
  constructor(cause: unknown) {
    super("The service could not be reached, or its answer did not come whole.", { cause });
    this.name = "CrmConnectionError";
  }
}

/** A browser does not tell where a redirect leads: its status is 0 there. */
function describeStatus(status: number, location: string | null): string {
  if (status > 0 && (status < 300 || status > 399 || location === null))
    return `The service answered with status ${status}.`;
  return `The service is elsewhere${location === null ? "" : `, at ${location}`}: redirects are not followed. Set baseUrl to where it is.`;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
