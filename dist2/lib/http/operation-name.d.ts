import type { Endpoint } from "../endpoint.ts";
/** Returns a function that finds the name of the operation that a request is for. It returns null if there is none. */
export declare function operationNames(endpoints: readonly Endpoint[]): (request: Request) => string | null;
