/** Pipelines with their stages: a plain list, all in one answer, and single ones. They are read only here. */
export declare const pipelines: import("../endpoint.ts").Endpoint[];
