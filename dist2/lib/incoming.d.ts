import type { Call, Caller, Endpoint } from "./endpoint.ts";
import { type Finding } from "./errors.ts";
import { type IdempotentRequest } from "./idempotency.ts";
import type { LimitState } from "./limits.ts";
type Body = Readonly<Record<string, unknown>>;
/** A request to an endpoint, over HTTP or in process. */
export type EndpointRequest = {
    readonly caller: Caller;
    readonly params: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, string>>;
    /** Errors in the encoding of the query string. */
    readonly queryFindings?: readonly Finding[];
    readonly body: Body | undefined;
    readonly idempotencyKey?: string | null | undefined;
    /** The header If-Match. */
    readonly ifMatch?: string | null | undefined;
    /** The header If-None-Match. */
    readonly ifNoneMatch?: string | null | undefined;
    /** The header x-tenant-id. */
    readonly tenantId?: string | null | undefined;
    readonly rate?: LimitState | undefined;
};
/** @throws ApiError `403 insufficient_scope`, with `details.required` */
export declare function assertScope(endpoint: Endpoint, { caller: { scopes }, query }: Pick<EndpointRequest, "caller" | "query">): void;
/** @throws ApiError `400 bad_request` if a required body is missing */
export declare function assertBody(endpoint: Endpoint, { body }: EndpointRequest): void;
/** Returns the idempotency record ID and the fingerprint of a POST. Undefined without a valid Idempotency-Key. */
export declare function toIdempotentRequest(endpoint: Endpoint, request: EndpointRequest): IdempotentRequest | undefined;
/**
 * Validates the query and the body against the schemas of the endpoint.
 * @throws ApiError with all errors of query and body
 */
export declare function parseRequest(endpoint: Endpoint, incoming: EndpointRequest): Call;
/**
 * The key decides; every tenant id sent must agree with it. The answer does not tell whether another one exists.
 * @throws ApiError `422 invalid_reference`
 */
export declare function assertTenant(endpoint: Endpoint, incoming: EndpointRequest): void;
export {};
