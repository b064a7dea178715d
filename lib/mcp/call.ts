/** Options of one request to the API. */
export type McpCallOptions = {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Whether to send `Prefer: dry-run`. */
  readonly dryRun?: boolean;
  readonly idempotencyKey?: string | undefined;
};

/** A response of the API. `body` is the parsed JSON. */
export type McpResponse = { readonly status: number; readonly body: unknown };

/**
 * Sends one request to the API as the caller of a tool, and returns its response, also if it is an error. The path is
 * relative to the base URL. It rejects if there is no response.
 */
export type McpCall = (method: "GET" | "POST", path: string, options?: McpCallOptions) => Promise<McpResponse>;
