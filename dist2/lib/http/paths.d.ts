import type { Endpoint } from "../endpoint.ts";
/** Path prefix of the admin endpoints, and part of every path of the API. */
export declare const rootPath = "/integrations";
/** Path prefix of the integration endpoints. */
export declare const basePath = "/integrations/v1";
/** Returns the path of an endpoint, from `/integrations` on. */
export declare function pathOf({ access, path }: Endpoint): string;
/** Returns the path of a URL without the prefix of a gateway and without a slash at its end. */
export declare function apiPath(url: string): string;
/** Whether a path could belong to the API, behind any prefix. Other paths belong to the host. */
export declare function isApiPath(path: string): boolean;
/** Returns `location` relative to the request URL, so that it is valid behind any gateway. Both paths are relative to the base path. */
export declare function relativeTo(url: string, path: string, location: string): string;
