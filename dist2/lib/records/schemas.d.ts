import * as v from "valibot";
import type { Model } from "./model.ts";
type Entries = Record<string, v.GenericSchema>;
/** The body of a POST that creates: what is required, what may be said, and what only the service sets. */
export declare function createSchema(model: Model): v.GenericSchema;
/** The body of a PATCH: any field, read-only ones too (whether they are unchanged is seen later). */
export declare function patchSchema(model: Model): v.GenericSchema;
/** A record as answers show it (`present` makes it), with what else stands in it. */
export declare function recordSchema(model: Model, more?: Entries): v.GenericSchema;
/** A record of a kind that can be archived. */
export declare function archivableSchema(model: Model): v.GenericSchema;
/** The id, the fields and the times as answers show them, all or those named. */
export declare function shownFields<Name extends string>(model: Model, ...names: readonly Name[]): Record<Name, v.GenericSchema>;
/** The body of a POST that takes nothing. */
export declare const emptyBody: v.OptionalSchema<v.StrictObjectSchema<{}, undefined>, {}>;
/** A record of a tenant file: every field, times and id too; what is left out gets its default. */
export declare function entrySchema(model: Model, more?: Entries): v.StrictObjectSchema<{
    readonly createdAt: v.OptionalSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
        readonly format: "date-time";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, number>]>, undefined>;
    readonly updatedAt: v.OptionalSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
        readonly format: "date-time";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, number>]>, undefined>;
    readonly archivedAt: v.OptionalSchema<v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
        readonly format: "date-time";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, number>]>, undefined>, undefined>;
}, undefined>;
export {};
