import { type Kind } from "../records/kinds.ts";
import type { Stamps } from "../records/model.ts";
import { type Values } from "../rules/change.ts";
/** One record of a tenant file, with its place in the file. Times are absent where the file says none. */
export type Entry = {
    readonly kind: Kind;
    readonly path: string;
    readonly id: string;
    /** Every field of the kind. */
    readonly values: Values;
    readonly times: Partial<Omit<Stamps, "id">>;
    /** An API key in clear. */
    readonly key?: string;
    /** Whether it is of an export: what its tenant has come to is then taken as it is. */
    readonly isExported: boolean;
};
/** All records of a file whose shape is right, each with an id, those that others refer to first. */
export declare function entriesOf(file: Values, newId: () => string): readonly Entry[];
