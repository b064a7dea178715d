import type { Storage } from "../storage.ts";
import type { AdminClaims, AdminVerifier } from "./admin-token.ts";
import type { Credentials } from "./authenticate.ts";
/** Whom the token of a request speaks for. @throws ApiError `401 unauthorized` */
export declare function authenticateUser(verify: AdminVerifier | undefined, { apiKey, authorization }: Credentials, now: number): Promise<AdminClaims>;
/**
 * Whether the user is an active admin of that tenant in the database, whatever the token says. A tenant that was
 * archived has none, as its keys open nothing.
 * @throws ApiError `403 insufficient_scope`
 */
export declare function assertAdministrator(storage: Pick<Storage, "get">, { tenantId, userId }: {
    readonly tenantId: string;
    readonly userId: string | null;
}): Promise<void>;
