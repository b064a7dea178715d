/** Whether the lock is held by another process for the moment. */
export declare function isBusy(error: unknown): boolean;
export declare function isConstraint(error: unknown): boolean;
/** The error as the interface names it: no driver error leaves the adapter where it is the place's fault. */
export declare function faultOf(error: unknown): unknown;
