import * as v from "valibot";
import type { Problem } from "../errors.ts";
/**
 * A check whose issue carries one of our problem codes. `message` is a predicate, "must be …": without a full stop, but
 * for one that the value makes and that goes on with a hint.
 */
export declare function must<T>(code: Problem["code"], holds: (value: T) => boolean, message: Message<T>): v.CheckAction<T, v.ErrorMessage<v.CheckIssue<T>>> & {
    type: "check";
};
type Message<T> = string | ((value: T) => string);
/**
 * What a check means in JSON Schema, said beside it: what is made from a schema (the description of the API, the format
 * of tenant files) then says what the schema does. It stands before a transform, because that ends what comes in.
 */
export declare const means: typeof v.metadata;
/** The schema with a sentence about its values, for who reads the description. */
export declare function said<const S extends v.GenericSchema>(schema: S, sentence: string): v.SchemaWithPipe<readonly [S, v.DescriptionAction<v.InferOutput<S>, string>]>;
/** Text that every storage can keep: no lone surrogate (SQLite replaces it), no NUL (PostgreSQL refuses it). */
export declare const anyText: v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
    readonly pattern: "^[^\\u0000]*$";
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>;
/** Text of at most `lengthMax` code points. */
export declare function text(lengthMax: number): v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
    readonly pattern: "^[^\\u0000]*$";
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>, v.MetadataAction<string, {
    readonly maxLength: number;
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>;
/** The maximum length of any text that the API accepts, in code points. */
export declare const maxTextLength = 65536;
/** A text of several lines or pages, such as a description. */
export declare const longText: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
    readonly pattern: "^[^\\u0000]*$";
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>, v.MetadataAction<string, {
    readonly maxLength: number;
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>;
/** Text of 1 to `lengthMax` code points that is not only white space. */
export declare function filledText(lengthMax: number): v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
    readonly pattern: "^[^\\u0000]*$";
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>, v.MetadataAction<string, {
    readonly maxLength: number;
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>, v.MetadataAction<string, {
    readonly minLength: 1;
    readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>;
/** Whether a text has the form of a uuid, of any version. */
export declare function isUuid(value: string): boolean;
/** A uuid of any version, in lower case from here on. */
export declare const uuid: v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
    readonly format: "uuid";
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}, v.TransformAction<string, string>]>;
/** An RFC 3339 date-time with an offset, kept as milliseconds since 1970. Digits beyond the millisecond are cut. */
export declare const instant: v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
    readonly format: "date-time";
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}, v.TransformAction<string, number>]>;
/** A calendar day, `YYYY-MM-DD`. */
export declare const calendarDate: v.SchemaWithPipe<readonly [v.StringSchema<"must be a date">, v.MetadataAction<string, {
    readonly format: "date";
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>;
/**
 * An e-mail address as people write them: one @, no blanks, a domain with a dot, at most 254 characters. Blanks around
 * it are taken away first and do not count.
 */
export declare const email: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
    readonly pattern: "^[^\\u0000]*$";
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>, v.TransformAction<string, string>, v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
    readonly pattern: "^[^\\u0000]*$";
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>, v.MetadataAction<string, {
    readonly maxLength: number;
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>, v.MetadataAction<string, {
    readonly pattern: string;
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>;
/**
 * A website as an http or https URL, or as a domain with an optional port and path. No other scheme is accepted, because
 * applications show the value as a link.
 */
export declare const website: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
    readonly pattern: "^[^\\u0000]*$";
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>, v.MetadataAction<string, {
    readonly maxLength: number;
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>, v.MetadataAction<string, {
    readonly pattern: string;
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>;
/** A list of at most `entriesMax` entries. Those of a longer one are not looked at: a body full of them takes seconds. */
export declare function listOf<S extends v.GenericSchema>(item: S, entriesMax: number, message: string): v.SchemaWithPipe<readonly [{
    readonly kind: "schema";
    readonly async: false;
    readonly "~standard": v.StandardProps<v.InferInput<S>[], v.InferOutput<S>[]>;
    readonly "~types"?: {
        readonly input: v.InferInput<S>[];
        readonly output: v.InferOutput<S>[];
        readonly issue: v.ArrayIssue | v.InferIssue<S>;
    } | undefined;
    readonly type: "array";
    readonly reference: typeof v.array;
    readonly expects: "Array";
    readonly item: S;
    readonly message: string;
    readonly "~run": (dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) => v.OutputDataset<v.InferOutput<S>[], v.ArrayIssue | v.InferIssue<S>>;
}, v.MetadataAction<v.InferOutput<S>[], {
    readonly maxItems: number;
}>, v.CheckAction<v.InferOutput<S>[], v.ErrorMessage<v.CheckIssue<v.InferOutput<S>[]>>> & {
    type: "check";
}]>;
/** One of a fixed set of words. */
export declare function oneOf<const T extends readonly string[]>(options: T): v.PicklistSchema<T, undefined>;
/** A JSON number that is neither infinite (1e999 is, once parsed) nor NaN. */
export declare const finiteNumber: v.SchemaWithPipe<readonly [v.NumberSchema<"must be a number">, v.CheckAction<number, v.ErrorMessage<v.CheckIssue<number>>> & {
    type: "check";
}]>;
/** A JSON number from `min` to `max`, such as a percentage. */
export declare function numberBetween(min: number, max: number): v.SchemaWithPipe<readonly [v.NumberSchema<string>, v.MinValueAction<number, number, string>, v.MaxValueAction<number, number, string>]>;
/** A whole JSON number from `min` to `max`, by default the largest that is exact everywhere. */
export declare function wholeNumber(min: number, max?: number): v.SchemaWithPipe<readonly [v.NumberSchema<string>, v.IntegerAction<number, string>, v.MinValueAction<number, number, string>, v.MaxValueAction<number, number, string>]>;
/** A whole number as a query string writes it. */
export declare function wholeNumberText(min: number, max: number): v.SchemaWithPipe<readonly [v.StringSchema<string>, v.MetadataAction<string, {
    readonly type: "integer";
    readonly minimum: number;
    readonly maximum: number;
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}, v.TransformAction<any, number>, v.CheckAction<number, v.ErrorMessage<v.CheckIssue<number>>> & {
    type: "check";
}]>;
/** `true` or `false` as a query string writes it. */
export declare const booleanText: v.SchemaWithPipe<readonly [v.PicklistSchema<["true", "false"], undefined>, v.MetadataAction<"false" | "true", {
    readonly type: "boolean";
    readonly enum: undefined;
}>, v.TransformAction<"false" | "true", boolean>]>;
/** The milliseconds of an RFC 3339 date-time, or undefined where there is no such moment in the years 1 to 9999. */
export declare function instantOf(value: string): number | undefined;
/** Whether a text is a day of the calendar in the years 1 to 9999: 31 February is not. */
export declare function isCalendarDate(value: string): boolean;
export {};
