import type { ApiError } from "../errors.ts";
/** A record that is open in one status and closed in all others, and remembers since when. */
export type Closable = {
    readonly status: string;
    readonly closedAt: number | null;
};
/**
 * The `409 conflict`, with `details.allowed`, of turning one way of being closed into another: that would silently
 * rewrite when and how it ended.
 */
export declare function transitionConflict(kind: string, open: string, before: Closable | undefined, status: string): ApiError | undefined;
/** `closedAt` of a record that has this status from `at` on. */
export declare function closedAt(open: string, before: Closable | undefined, status: string, at: number): number | null;
