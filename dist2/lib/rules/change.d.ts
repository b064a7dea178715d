import { ApiError, type Finding, type Problem } from "../errors.ts";
import type { Model, Stamps } from "../records/model.ts";
/** A record's values by field, whatever its kind. */
export type Values = Readonly<Record<string, unknown>>;
/** Whether two values of a field are the same; objects by their JSON, keys in any order. */
export declare function same(a: unknown, b: unknown): boolean;
/** The value with the keys of its objects in order, so that equal values have equal JSON, and others another. */
export declare function sorted(value: unknown): unknown;
/** The values of a new record: what was sent, and the default of every other field. */
export declare function fresh(model: Model, input: Values): Values;
/** The fields named in a PATCH whose value differs. Read-only ones among them are refused, all at once. */
export declare function changesOf(model: Model, before: Stamps & Values, input: Values): {
    changes: Values;
    findings: Finding[];
};
export declare function readOnly(name: string): Finding;
export declare function shape(problem: Problem): Finding;
/** A change of state that is not allowed now. `allowed` names the states that are. */
export declare function stateConflict(message: string, reason: string, allowed: readonly string[]): ApiError;
