import type { Finding } from "../errors.ts";
import { type CustomField, type CustomFieldValues } from "../records/custom-field.ts";
/**
 * The custom field values of a record once those sent are merged into those stored, and what is wrong with them.
 * Null deletes, also where the field has gone from the catalogue. A value sent back as it is stored is accepted even
 * where the catalogue has moved on since.
 */
export declare function mergeCustomValues(catalog: readonly CustomField[], sent: CustomFieldValues, stored: CustomFieldValues): {
    values: CustomFieldValues;
    findings: readonly Finding[];
};
