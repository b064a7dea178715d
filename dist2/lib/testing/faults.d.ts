/** What is to go wrong with requests. A delay may come before an answer or a drop. */
export type Fault = {
    /** The id of an operation, such as "createTask"; any operation where it is absent. */
    readonly operation?: string | undefined;
    /** How many requests, 1 where it is absent. */
    readonly times?: number | undefined;
    /** Answered so, and nothing is done. */
    readonly answer?: 429 | 500 | 503 | undefined;
    /** The seconds in `Retry-After` of 429 and 503: 1 where it is absent. */
    readonly retryAfter?: number | undefined;
    /** Waits before it does anything: real milliseconds, whatever the clock of the test does. */
    readonly delayMs?: number | undefined;
    /** The connection ends without an answer: before anything is done, or when what was asked for is committed. */
    readonly drop?: "before-commit" | "after-commit" | undefined;
};
/** What is to go wrong next, in the order in which it was said. */
export declare class Faults {
    #private;
    /** Plans one. @throws ApiError `400 validation_error` where it is none */
    add(fault: Fault): void;
    /** What has not happened yet, with the times that are left. */
    get pending(): readonly Fault[];
    clear(): void;
    /** What happens to a request of this operation; it is used up by being asked for. */
    take(operation: string): Fault | undefined;
}
