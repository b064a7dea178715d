/** What PostgreSQL or the way to it says of an error: its code, and for a violated constraint where. */
export type Refusal = {
    readonly code: string;
    readonly constraint?: string;
    readonly table?: string;
};
/** The error's own words about itself; errors without a SQLSTATE come from the connection. */
export declare function refusalOf(error: unknown): Refusal | undefined;
/** Whether a write was refused: by a constraint, or because it was overtaken. */
export declare function isRefusal(error: unknown): boolean;
/** Whether a statement found no row where there must be one. */
export declare function isUntouched(error: unknown): boolean;
/** The error as the interface names it: no driver error leaves the adapter where it is the place's fault. */
export declare function faultOf(error: unknown): unknown;
