/** The integrations' keys, for administrators. A value is shown once, when it is made, and kept nowhere. */
export declare const apiKeys: import("../endpoint.ts").Endpoint[];
