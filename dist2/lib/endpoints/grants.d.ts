/** Which tenant and user a grant stands for. */
export declare const grants: import("../endpoint.ts").Endpoint[];
