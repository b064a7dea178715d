import type { Position } from "./storage.ts";
/** What a cursor continues: the place reached, and the filters of the walk as their parameters were written. */
export type Walk = {
    readonly position: Position;
    readonly filters: Readonly<Record<string, string>>;
};
/** What a cursor is good for, besides its own contents. */
export type WalkScope = {
    readonly tenantId: string;
    readonly endpoint: string;
    readonly filterNames: readonly string[];
};
/** The limit that the interface promises, in characters. */
export declare const cursorLengthMax = 256;
/**
 * Signs the place and filters of a walk, together with the tenant and endpoint they belong to. Only filters whose
 * names the endpoint has are kept; of long texts that would not fit a hash is kept, and `resend` names them: they must be
 * sent with the cursor.
 */
export declare function sealCursor(secret: Uint8Array, scope: WalkScope, walk: Walk): {
    readonly cursor: string;
    readonly resend: readonly string[];
};
/**
 * The walk that a cursor continues, its filters joined with those sent now.
 * @throws ApiError `400 invalid_cursor` where it is malformed, altered, or of another tenant, endpoint or filter
 */
export declare function openCursor(secret: Uint8Array, scope: WalkScope, cursor: string, sent: Walk["filters"]): Walk;
