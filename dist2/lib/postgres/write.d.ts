import type { Write } from "../storage.ts";
/** One step of a commit: SQL with ? for the values. */
export type Step = {
    readonly sql: string;
    readonly values: readonly unknown[];
    /** The write that fails where the step touches no row, and how. */
    readonly asserts?: {
        readonly write: Write;
        readonly reason: "stale" | "hash";
    };
};
/** The steps of a write, which run in one statement: none of them touches a row that another does. */
export declare function stepsOf(tenant: string, write: Write): readonly Step[];
