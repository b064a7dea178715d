import type { Finding } from "../errors.ts";
import type { CustomField } from "../records/custom-field.ts";
import type { Entry } from "./entries.ts";
/** Everything that is wrong between the records of a file at a time (ms), each fault with its path in the file. */
export declare function faultsOf(entries: readonly Entry[], now: number): readonly Finding[];
/** The catalogue of each entity, as the file has it. */
export declare function catalogsOf(entries: readonly Entry[]): ReadonlyMap<unknown, readonly CustomField[]>;
