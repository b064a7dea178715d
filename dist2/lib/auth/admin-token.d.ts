/** Who signs administrators' tokens: one of a shared secret (HS256, 32 bytes or more) and a JWKS address. */
export type AdminAuth = {
    readonly issuer: string;
    readonly audience: string;
    readonly secret?: Uint8Array;
    /** RS256, ES256 and EdDSA. */
    readonly jwksUrl?: string;
};
/** Whom a token speaks for. Whether that user is an administrator is for the database to say. */
export type AdminClaims = {
    readonly tenantId: string;
    readonly userId: string;
};
/** Verifies the header `Authorization` at a given time (ms). @throws ApiError `401 unauthorized` */
export type AdminVerifier = (authorization: string | null, now: number) => Promise<AdminClaims>;
/**
 * Creates the verifier of admin tokens.
 * @throws TypeError if the issuer or the audience is empty, the secret is shorter than 32 bytes or no Uint8Array, or
 * both or neither of secret and jwksUrl are given
 */
export declare function adminVerifier(auth: AdminAuth): AdminVerifier;
/**
 * Signs a token for one admin, for hosts and programs that have the secret. Times are in seconds since 1970.
 * @throws TypeError if the secret is shorter than 32 bytes or no Uint8Array
 */
export declare function signAdminToken(auth: AdminAuth & {
    readonly secret: Uint8Array;
}, claims: AdminClaims, times: {
    readonly issuedAt: number;
    readonly expiresAt: number;
}): Promise<string>;
