import type { AdminVerifier } from "../auth/admin-token.ts";
import { assertAdministrator } from "../auth/administrator.ts";
import type { Caller, Context, Endpoint } from "../endpoint.ts";
import type { Limiter } from "../limits.ts";
import { type Credential, type Storage } from "../storage.ts";
import type { RequestEnv } from "./request-env.ts";
/** A caller that the host has authenticated. Omitted members are null. */
export type HostCaller = Pick<Caller, "tenantId" | "scopes"> & Partial<Caller>;
/**
 * Authenticates callers of the integration endpoints in place of API keys. The request has no body. Returning nothing
 * means 401. A thrown `ApiError` is sent as it is; any other error is logged and means 401.
 */
export type Authenticate = (request: Request, env: RequestEnv) => HostCaller | null | undefined | Promise<HostCaller | null | undefined>;
export type AuthDependencies = {
    readonly storage: Storage;
    readonly context: Context;
    readonly authenticate: Authenticate | undefined;
    readonly verifyAdmin: AdminVerifier | undefined;
    readonly authFailureLimiter: Limiter;
    /** Records that an API key was used. */
    readonly recordKeyUse: (key: Credential) => void;
    /** Logs an error that the caller doesn't see. */
    readonly report: (error: unknown, requestId: string) => void;
};
/**
 * Returns the caller of an endpoint. Failures are limited per client address; a valid credential is never limited by
 * the failures of others.
 * @throws ApiError `401 unauthorized`, `403 insufficient_scope` for a user who isn't an admin, `429 rate_limited`
 */
export declare function authenticateRequest(dependencies: AuthDependencies, endpoint: Endpoint, request: Request, env: RequestEnv, requestId: string): Promise<Caller>;
export { assertAdministrator as assertAdmin };
export declare function toCaller(caller: HostCaller): Caller;
/**
 * Checks that the tenant and the integration exist. The host vouches for everything else.
 * @throws ApiError `401 unauthorized` if the tenant is unknown
 * @throws TypeError if the integration is unknown
 */
export declare function assertTenantExists(storage: Storage, caller: Caller): Promise<Caller>;
