import type { Finding } from "../errors.ts";
/** The parameters of a query string, and the errors in their encoding. */
export type ParsedQuery = {
    readonly values: Readonly<Record<string, string>>;
    readonly findings: readonly Finding[];
};
/** Parses the query string of a URL. A parameter may occur once, in percent-encoded UTF-8. */
export declare function parseQueryString(url: string): ParsedQuery;
