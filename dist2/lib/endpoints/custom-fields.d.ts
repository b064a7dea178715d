/** The catalogue of one entity's custom fields, in the tenant's order. */
export declare const customFields: import("../endpoint.ts").Endpoint[];
