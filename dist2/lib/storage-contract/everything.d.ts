import { type Kind, type Records } from "../records/kinds.ts";
import type { Write } from "../storage.ts";
export type Lists = {
    readonly [K in Kind]: readonly Records[K][];
};
/**
 * A tenant with two records of every other kind: one with every field filled, and an archived one with null in every
 * field that may be null. The numbers, texts and objects are those that storages are tempted to change.
 */
export declare function everything(tenant: number, at: number): Lists;
/** Inserts of all of them, each after those that it refers to. */
export declare function insertsOf(lists: Lists): Write[];
