/** Accounts: unique by folded name among the not archived, which the storage's constraint sees to. */
export declare const accounts: readonly import("../endpoint.ts").Endpoint[];
