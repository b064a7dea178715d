import type { ApiError, Finding } from "../errors.ts";
import type { Pipeline, Stage } from "../records/pipeline.ts";
import { type Values } from "./change.ts";
/** The `409 conflict` of a closed opportunity that would change its stage. */
export declare function stageMoveConflict(after: Values, before: Values | undefined): ApiError | undefined;
/** Stage and pipeline, where they exist; a pipeline that was not named is derived from the stage. */
type Place = {
    stage: Stage | undefined;
    pipeline: Pipeline | undefined;
    derived: boolean;
};
/** What is wrong with where the opportunity is to be, or with how it is lost. That an id names nothing is told elsewhere. */
export declare function checkSale(after: Values, before: Values | undefined, place: Place): Finding[];
export {};
