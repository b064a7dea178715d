import type { ApiError } from "../errors.ts";
import { type HttpResponse } from "../http/http-response.ts";
/** Where a test is told that it stands with its rate: it has not used any, or all of it. */
export type Standing = {
    readonly limit: number;
    readonly now: number;
    readonly requestId: string;
    readonly method: string;
};
/** The answer of a service that is overloaded, broken or asked too often; it has done nothing. */
export declare function faultAnswer(status: number, retryAfter: number, standing: Standing): HttpResponse;
/** The answer that a request has asked for itself. */
export declare function preferredAnswer(error: ApiError, applied: string, standing: Standing): HttpResponse;
