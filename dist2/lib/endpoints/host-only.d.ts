import type { Endpoint } from "../endpoint.ts";
/**
 * Operations that no path leads to: a host, or the program that runs the database, calls them to look after a
 * tenant's users and integrations. They ask for no scope.
 */
export declare const hostOnly: readonly Endpoint[];
