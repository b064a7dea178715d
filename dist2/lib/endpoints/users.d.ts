/** Users: a plain list, all of them in one answer, and single records. They are read only here. */
export declare const users: import("../endpoint.ts").Endpoint[];
