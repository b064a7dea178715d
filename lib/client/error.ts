import type { Problem } from "./types.ts";

/** An answer that is not a success. Decide by `code`; `message` is for people. */
export class CrmError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** The service's `error.code`; "unknown" where something else on the way has answered. */
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Everything that is wrong with the request, each with its place. */
  readonly problems: readonly Problem[];
  /** What to tell whoever runs the service. */
  readonly requestId: string | null;

  constructor(status: number, body: unknown, requestId: string | null) {
    const error = memberOf(body, "error");
    super(textOf(memberOf(error, "message")) ?? `The service answered with status ${status}.`);
    this.name = "CrmError";
    this.status = status;
    this.code = textOf(memberOf(error, "code")) ?? "unknown";
    this.details = (memberOf(error, "details") ?? {}) as Readonly<Record<string, unknown>>;
    this.problems = (memberOf(this.details, "errors") ?? []) as readonly Problem[];
    this.requestId = requestId;
  }
}

/** No answer came, however often it was tried. Whether the request was carried out is unknown. */
export class CrmConnectionError extends Error {
  constructor(cause: unknown) {
    super("The service could not be reached.", { cause });
    this.name = "CrmConnectionError";
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
