import type { Endpoint } from "../endpoint.ts";
/** Every operation of the API. Routes, permissions, documentation and tests are made from this list. */
export declare const endpoints: readonly Endpoint[];
