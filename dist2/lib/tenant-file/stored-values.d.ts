import type { Finding } from "../errors.ts";
import { type CustomFieldValues } from "../records/custom-field.ts";
/**
 * What is wrong with the custom values of an export: its fields may have got other keys, types and options since the
 * values were stored, or gone. What no catalogue has ever let in is refused all the same.
 */
export declare function storedFindings(values: CustomFieldValues): readonly Finding[];
