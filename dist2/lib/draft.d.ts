import type * as v from "valibot";
import type { Call, Context } from "./endpoint.ts";
import { ApiError, type ErrorCode, type Finding } from "./errors.ts";
import type { Kind } from "./records/kinds.ts";
import type { Model, Stamps } from "./records/model.ts";
import { type Values } from "./rules/change.ts";
export type Stored = Stamps & Values;
/** What is particular to one resource; everything else about its endpoints is the same for all. */
export type Resource<Around = unknown> = {
    readonly model: Model<Kind>;
    /** The filters of the list beside the standard ones. */
    readonly filters: Readonly<Record<string, v.GenericSchema>>;
    /** What a POST can be refused with beside what follows from the model. */
    readonly createErrors?: readonly ErrorCode[];
    /** A record of the demo tenant, and bodies that it can be made and changed with there. */
    readonly example: {
        readonly id: string;
        readonly create: Values;
        readonly update: Values;
    };
    /** What it must know of other records: asked in one go with all that every draft asks. */
    around?(sent: Values, before: Stored | undefined, tenantId: string, storage: Context["storage"]): Promise<Around>;
    /** Fills in what follows from other fields; the result is what is checked and kept. */
    complete?(after: Values, before: Stored | undefined, sent: Values, around: Around): Values;
    /** What else is wrong with the record as it is about to be. */
    check?(after: Values, before: Stored | undefined, sent: Values, around: Around): readonly Finding[];
    /** The name of the stage that the record is about to be in, for the words of a rule that asks for something there. */
    stageName?(after: Values, around: Around): string | undefined;
    /** The `409 conflict` of a change that its state, or the tenant's, forbids; told where nothing else is wrong. */
    conflictOf?(after: Values, before: Stored | undefined): ApiError | undefined;
    /** The fields that a forbidden change of state leaves as they are: nothing is asked of a state that is not come to. */
    readonly state?: readonly string[];
    /** The fields that the service sets, at the instant of the commit. */
    settle?(after: Values, before: Stored | undefined, at: number): Values;
};
/**
 * The values of a record as a POST would make it (no `before`) or a PATCH change it. All that has to be read is asked
 * at once: no question waits for the answer of another.
 * @throws ApiError with everything that references, custom fields, the tenant's rules and the resource's own find wrong
 */
export declare function draft<Around>(resource: Resource<Around>, before: Stored | undefined, call: Call, context: Context): Promise<Values>;
