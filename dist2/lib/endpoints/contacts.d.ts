/** Contacts: unique by e-mail among the not archived; many may have none. */
export declare const contacts: readonly import("../endpoint.ts").Endpoint[];
