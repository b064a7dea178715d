/** Tasks: pending ⇄ completed, pending ⇄ canceled; `closedAt` says since when one is not pending. */
export declare const tasks: readonly import("../endpoint.ts").Endpoint[];
