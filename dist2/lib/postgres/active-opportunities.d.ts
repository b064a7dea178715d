import type { ActiveContact } from "../storage.ts";
/** One statement for any number of addresses. Values: the tenant, the folded addresses, the most of a contact. */
export declare const activeOpportunitiesSql: string;
export declare function activeContactOf(row: Readonly<Record<string, unknown>>): ActiveContact;
