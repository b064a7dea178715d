import type { Finding } from "../errors.ts";
import { type CustomField } from "../records/custom-field.ts";
import type { Rule } from "../records/tenant.ts";
import type { Values } from "./change.ts";
/** What a message can say beyond ids: the custom fields of the kind, and the stage that the record is or comes to. */
export type Words = {
    readonly catalog: readonly CustomField[];
    readonly stageName: string | undefined;
};
/**
 * The fields that the tenant requires and this record lacks, all of them. A rule is asked when a record is made, when
 * it enters the stage or status, and when the field is cleared; an unrelated change of an old record is let through.
 * A rule with both stages and statuses holds at each of them.
 */
export declare function missingByRule(rules: readonly Rule[], after: Values, before: Values | undefined, { catalog, stageName }: Words): Finding[];
/** The custom fields that every new record must have and this one lacks. */
export declare function missingCustomFields(catalog: readonly CustomField[], after: Values): Finding[];
