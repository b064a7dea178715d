/** Opportunities: in a stage of a pipeline, open ⇄ won, open ⇄ lost; a closed one keeps its stage. */
export declare const opportunities: readonly import("../endpoint.ts").Endpoint[];
