import type { Caller, Endpoint } from "../api/endpoint.ts";
import type { EndpointRequest } from "../api/endpoint-request.ts";
import { type EndpointResponse, runEndpoint } from "../api/run-endpoint.ts";
import type { Operations as DescribedOperations } from "../client/types.ts";
import { endpoints, importEndpoints } from "../endpoints/index.ts";
import { ApiError } from "../model/errors.ts";
import { assertTenantExists, type HostCaller, toCaller } from "./authenticate-request.ts";
import { toApiError } from "./http-exchange.ts";
import type { HttpRuntime } from "./http-runtime.ts";
import { ApiClosedError } from "./load-limits.ts";

type CallOptions = {
  /** The host authenticates the caller. */
  readonly caller: HostCaller;
  readonly idempotencyKey?: string;
  /** Whether to run all checks without writing anything. Only operations that write records support it. */
  readonly dryRun?: boolean;
  /** ETags, as in the header If-Match: an update or archive rejects with status 412 if the record has changed. */
  readonly ifMatch?: string;
  /** ETags, as in the header If-None-Match: a read returns status 304 if the record is unchanged. */
  readonly ifNoneMatch?: string;
};

/** One call of an operation without HTTP. */
export type OperationCall = CallOptions & {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Awaited after all checks, before the commit. Called again if the commit conflicts with another. */
  readonly beforeCommit?: (() => Promise<void>) | undefined;
};

export type OperationResult = {
  readonly status: number;
  /** Null if the status is 204 or 304. */
  readonly body: unknown;
  readonly location: string | null;
  readonly replayed: boolean;
  readonly headers: Readonly<Record<string, string>>;
};

/** The operations by name, each with the types of its input and of its response body. */
export type Operations = {
  readonly [Name in keyof DescribedOperations]: (
    call: CallOptions & Omit<DescribedOperations[Name], "result">,
  ) => Promise<OperationResult & { readonly body: DescribedOperations[Name]["result"] }>;
};

/** `Operations` for names that are known only at run time. */
export type UntypedOperations = Readonly<Record<string, (call: OperationCall) => Promise<OperationResult>>>;

/** Creates the operations, which run endpoints without HTTP. */
export function createOperations(runtime: HttpRuntime): Operations {
  const operation = (endpoint: Endpoint) => async (call: OperationCall) => {
    try {
      const response = await runtime.requests.run(async (): Promise<EndpointResponse> => {
        const { caller, settingsVersion } = await assertTenantExists(runtime.storage, toCaller(call.caller));
        return runEndpoint(runtime, endpoint, { ...toRequest(call, caller), settingsVersion });
      });
      return { ...response, body: response.body === null ? null : JSON.parse(response.body) };
    } catch (error) {
      if (error instanceof ApiClosedError)
        throw new ApiError("internal_error", error.message, { status: 503, cause: error });
      const requestId = runtime.context.newId();
      const apiError = toApiError(error, requestId, endpoint.method);
      if (apiError.status >= 500) runtime.report(error, requestId);
      throw apiError;
    }
  };
  const operations = [...endpoints, ...importEndpoints].map((endpoint) => [endpoint.name, operation(endpoint)]);
  return Object.fromEntries(operations) as Operations;
}

/** Converts a call to the request that an HTTP client would send. */
function toRequest(call: OperationCall, caller: Caller): EndpointRequest {
  const { params = {}, query = {} } = call;
  const values = Object.entries(query).filter(([, value]) => value !== undefined);
  return {
    caller,
    params,
    query: Object.fromEntries(values.map(([name, value]) => [name, String(value)])),
    body: (toJson(call.body) ?? undefined) as OperationCall["body"],
    idempotencyKey: textOf(call.idempotencyKey),
    ...(call.dryRun === true ? { prefer: "dry-run" } : {}),
    ifMatch: textOf(call.ifMatch),
    ifNoneMatch: textOf(call.ifNoneMatch),
    beforeCommit: call.beforeCommit,
  };
}

/** Returns the value of a header. Every header rejects NUL, the result for a value that isn't a string. */
function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : "\0";
}

/** Replaces values that JSON doesn't have. No schema accepts it. */
const notJson = Symbol("not JSON");

/**
 * Converts a value as JSON would. Members that are undefined are omitted, so they clear nothing. A Date, a Map
 * or a bigint is rejected by the schema of its field.
 */
function toJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== "object" || value === null) return isScalar(value) ? value : notJson;
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) return notJson;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, toJson(member)]));
}

function isScalar(value: unknown): boolean {
  return value === undefined || value === null || ["string", "number", "boolean"].includes(typeof value);
}
