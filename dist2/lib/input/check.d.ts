import * as v from "valibot";
import { type Finding } from "../errors.ts";
type Schema = v.GenericSchema;
type Path = readonly (string | number)[];
/** The value in the shape its schema gives it, or everything that is wrong with it. */
export type Checked<T> = {
    readonly value: T;
} | {
    readonly findings: readonly Finding[];
};
/**
 * Checks a value against a schema and reports all problems at once: every unknown key with a hint, lists where
 * an object belongs, and each of valibot's issues in our words.
 * @param root "" for a body (paths are JSON Pointers), "?" for a query string.
 * @param elsewhere what may stand beside the members of the schema, and is looked at by others
 */
export declare function check<S extends Schema>(schema: S, value: unknown, root: "" | "?", elsewhere?: readonly string[]): Checked<v.InferOutput<S>>;
/** The schema of an object that has these members and no others, made once. */
export declare function strict(entries: Readonly<Record<string, Schema>>): Schema;
/** A JSON Pointer, or `?name` for a query parameter. Keys are cut at 100 characters. */
export declare function pointer(path: Path, root?: "" | "?"): string;
export {};
