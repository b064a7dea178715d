import type * as v from "valibot";
import type { ApiError, ErrorCode, ValidationIssue } from "../model/errors.ts";
import type { Kind } from "../model/kinds.ts";
import type { BaseRecord, FieldValues, Model } from "../model/model.ts";
import type { Caller, HandlerContext } from "./endpoint.ts";

export type StoredRecord = BaseRecord & FieldValues;

/** The definition of a resource. `resource()` and `setUpResource()` derive its standard endpoints from it. */
export type ResourceDefinition<Related = unknown> = {
  readonly model: Model<Kind>;
  /** Filters of the list, in addition to the standard parameters. */
  readonly filters: Readonly<Record<string, v.GenericSchema>>;
  /** Error codes of a POST, in addition to those that follow from the model. */
  readonly createErrors?: readonly ErrorCode[];
  /** The ID of a record of the demo tenant, and valid bodies. */
  readonly example: { readonly id: string; readonly create: FieldValues; readonly update: FieldValues };
  /**
   * Throws the 409 of a change that other records don't allow. `after` is undefined if the record is archived, and
   * `before` if it is new. Calls `expectNone` for records that must not be written before the change is.
   */
  assertChange?(
    after: FieldValues | undefined,
    before: StoredRecord | undefined,
    tenantId: string,
    context: HandlerContext,
  ): Promise<void>;
  /** Loads other records that the functions below need. */
  loadRelated?(
    input: FieldValues,
    before: StoredRecord | undefined,
    caller: Caller,
    storage: HandlerContext["storage"],
  ): Promise<Related>;
  /** Returns the values with derived fields filled in. */
  deriveFields?(
    after: FieldValues,
    before: StoredRecord | undefined,
    input: FieldValues,
    related: Related,
    now: number,
  ): FieldValues;
  /** Returns the issues of the new values. */
  check?(
    after: FieldValues,
    before: StoredRecord | undefined,
    input: FieldValues,
    related: Related,
    now: number,
  ): readonly ValidationIssue[];
  /** Returns the name of the new stage for messages of required-field rules. */
  stageName?(after: FieldValues, related: Related): string | undefined;
  /** Returns a `409 conflict` if the state doesn't allow the change. It is thrown only if there are no issues. */
  checkTransition?(after: FieldValues, before: StoredRecord | undefined): ApiError | undefined;
  /** The field that determines another field if the request doesn't contain that other field. */
  readonly derivedFrom?: Readonly<Record<string, string>>;
  /** Fields that keep their value during validation if `checkTransition` returns an error. */
  readonly transitionFields?: readonly string[];
  /** Returns the fields that depend on the current time. */
  stampFields?(after: FieldValues, before: StoredRecord | undefined, now: number): FieldValues;
};
