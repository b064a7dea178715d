import type { ActiveContact } from "../storage.ts";
/**
 * One statement for any number of addresses: per contact, a walk of its opportunities from the newest. Parameters:
 * the most opportunities of a contact, the folded addresses as JSON, the tenant.
 */
export declare const activeOpportunitiesSql: string;
export declare function activeContactOf([emailKey, contactId, json]: readonly unknown[]): ActiveContact;
