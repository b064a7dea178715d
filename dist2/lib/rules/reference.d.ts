import type { Finding } from "../errors.ts";
import { type Kind } from "../records/kinds.ts";
import { type Model } from "../records/model.ts";
import type { Storage } from "../storage.ts";
import type { Values } from "./change.ts";
/** An id in a body, and the kind of record it must be of. */
export type Referral = {
    readonly path: string;
    readonly kind: Kind;
    readonly id: string;
};
/** Every id that the given fields hold. */
export declare function referralsOf(model: Model, values: Values): Referral[];
/**
 * What is wrong with these ids: no such record in the tenant (unknown, archived and foreign ones look the same), or
 * a user who is not active.
 */
export declare function checkReferrals(storage: Pick<Storage, "get">, tenantId: string, referrals: readonly Referral[]): Promise<Finding[]>;
