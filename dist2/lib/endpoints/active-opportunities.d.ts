/** Which open opportunities the people with these addresses take part in. It reads, but is a POST: addresses stay out of logs. */
export declare const activeOpportunities: import("../endpoint.ts").Endpoint[];
