import type { IncomingMessage } from "node:http";
/** Maximum size of a request body in bytes. */
export declare const maxBodyBytes: number;
/** Rejects a body whose declared length is too large, before anything else is checked. @throws ApiError `413 bad_request` */
export declare function assertDeclaredLength(contentLength: string | null | undefined): void;
/**
 * Reads the body of a Request.
 * @throws ApiError `400 bad_request` if it ends early, `413 bad_request` if it is too large
 * @throws TypeError if the host has read it
 */
export declare function readBody(request: Request): Promise<Uint8Array>;
/** Reads the body of a Node request, or takes it from `rawBody` if a middleware has stored it there. Throws as `readBody` does. */
export declare function readNodeBody(incoming: IncomingMessage & {
    readonly rawBody?: unknown;
}): Promise<Uint8Array>;
/** Parses a JSON body. @throws ApiError `400 bad_request`, `415 bad_request` */
export declare function parseBody(bytes: Uint8Array, headers: Headers): Readonly<Record<string, unknown>>;
