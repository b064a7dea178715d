/** Who am I: what a client asks first, to see that its key works and what it may do. */
export declare const me: import("../endpoint.ts").Endpoint[];
