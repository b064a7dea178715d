import { WriteConflict } from "../storage.ts";
import type { Result } from "./transactions.ts";
type Conflict = Pick<WriteConflict, "reason" | "kind" | "field" | "id">;
/** An error that is no result of its own. A copy of one of SQLite's would have neither its name nor its code. */
type Fault = {
    readonly sqlite: {
        readonly message: string;
        readonly code: string;
        readonly stack: string | undefined;
    };
} | {
    readonly other: unknown;
};
/** A result as it goes from one thread to another, where objects lose their class. */
export type Carried = Exclude<Result, {
    readonly error: unknown;
}> | {
    readonly conflict: Conflict;
} | {
    readonly unavailable: string;
    readonly cause: Fault;
} | {
    readonly fault: Fault;
};
export declare function carried(result: Result): Carried;
export declare function resultOf(carried: Carried): Result;
export {};
