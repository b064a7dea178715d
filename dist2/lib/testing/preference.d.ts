import { ApiError } from "../errors.ts";
/** An error that a request has asked for. */
export type Preferred = {
    readonly error: ApiError;
    /** What `Preference-Applied` says. */
    readonly applied: string;
};
/**
 * What `Prefer: code=409` or `Prefer: code=422, example=invalid_reference` asks for, as the description shows it;
 * undefined where nothing is asked for. @throws ApiError `400 validation_error` where the operation has no such error
 */
export declare function preferredError(prefer: string | null, operation: string): Preferred | undefined;
