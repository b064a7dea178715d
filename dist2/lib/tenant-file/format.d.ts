import * as v from "valibot";
/** A tenant whole, in the shapes of the API: fixtures, set-up and export are this one format. */
export declare const tenantFileSchema: v.StrictObjectSchema<{
    readonly $schema: v.OptionalSchema<v.StringSchema<undefined>, undefined>;
    readonly exported: v.OptionalSchema<v.BooleanSchema<"must be true or false">, undefined>;
    readonly tenant: v.StrictObjectSchema<{
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
    readonly users: v.OptionalSchema<v.ArraySchema<v.StrictObjectSchema<{
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
    }, undefined>, "must be a list">, readonly []>;
    readonly pipelines: v.OptionalSchema<v.ArraySchema<v.StrictObjectSchema<{
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
    }, undefined>, "must be a list">, readonly []>;
    readonly customFields: v.OptionalSchema<v.ArraySchema<v.StrictObjectSchema<{
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
    }, undefined>, "must be a list">, readonly []>;
    readonly rules: v.OptionalSchema<v.ArraySchema<v.StrictObjectSchema<{
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
    }, undefined>, "must be a list">, readonly []>;
    readonly integrations: v.OptionalSchema<v.ArraySchema<v.StrictObjectSchema<{
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
    }, undefined>, "must be a list">, readonly []>;
    readonly grants: v.OptionalSchema<v.ArraySchema<v.StrictObjectSchema<{
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
    }, undefined>, "must be a list">, readonly []>;
    readonly accounts: v.OptionalSchema<v.ArraySchema<v.StrictObjectSchema<{
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
    }, undefined>, "must be a list">, readonly []>;
    readonly contacts: v.OptionalSchema<v.ArraySchema<v.StrictObjectSchema<{
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
    }, undefined>, "must be a list">, readonly []>;
    readonly opportunities: v.OptionalSchema<v.ArraySchema<v.StrictObjectSchema<{
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
    }, undefined>, "must be a list">, readonly []>;
    readonly tasks: v.OptionalSchema<v.ArraySchema<v.StrictObjectSchema<{
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
    }, undefined>, "must be a list">, readonly []>;
}, undefined>;
