import type { Credential, Storage } from "../storage.ts";
/** The credentials of a request, as its headers carry them. */
export type Credentials = {
    readonly apiKey: string | null;
    readonly authorization: string | null;
};
/**
 * The key that a request carries, looked up at every request, so that a revocation holds from the moment it was
 * answered.
 * @throws ApiError `401 unauthorized` with `WWW-Authenticate`
 */
export declare function authenticate(storage: Pick<Storage, "apiKey">, sent: Credentials, now: number): Promise<Credential>;
