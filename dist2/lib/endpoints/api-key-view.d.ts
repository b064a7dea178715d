import * as v from "valibot";
/** A key as `keyView` shows it. */
export declare const keySchema: v.SchemaWithPipe<readonly [v.StrictObjectSchema<{
    id: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
        readonly format: "uuid";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, string>]>, v.DescriptionAction<string, string>]>;
    integrationId: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
        readonly format: "uuid";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, string>]>, v.DescriptionAction<string, string>]>;
    integrationName: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
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
    }]>, v.DescriptionAction<string, string>]>;
    maskedKey: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
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
    }]>, v.DescriptionAction<string, string>]>;
    scopes: v.SchemaWithPipe<readonly [v.ArraySchema<v.PicklistSchema<readonly ["accounts:read", "accounts:write", "contacts:read", "contacts:write", "opportunities:read", "opportunities:write", "tasks:read", "tasks:write", "pipelines:read", "users:read"], undefined>, undefined>, v.DescriptionAction<("accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read" | "opportunities:write" | "pipelines:read" | "tasks:read" | "tasks:write" | "users:read")[], string>]>;
    status: v.SchemaWithPipe<readonly [v.PicklistSchema<readonly ["active", "revoked", "expired"], undefined>, v.DescriptionAction<"active" | "expired" | "revoked", string>]>;
    createdAt: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
        readonly format: "date-time";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, number>]>, v.DescriptionAction<number, string>]>;
    createdBy: v.SchemaWithPipe<readonly [v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
        readonly format: "uuid";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, string>]>, undefined>, v.DescriptionAction<string | null, string>]>;
    lastUsedAt: v.SchemaWithPipe<readonly [v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
        readonly format: "date-time";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, number>]>, undefined>, v.DescriptionAction<number | null, string>]>;
    expiresAt: v.SchemaWithPipe<readonly [v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
        readonly format: "date-time";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, number>]>, undefined>, v.DescriptionAction<number | null, string>]>;
    revokedAt: v.SchemaWithPipe<readonly [v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
        readonly format: "date-time";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, number>]>, undefined>, v.DescriptionAction<number | null, string>]>;
}, undefined>, v.MetadataAction<{
    id: string;
    integrationId: string;
    integrationName: string;
    maskedKey: string;
    scopes: ("accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read" | "opportunities:write" | "pipelines:read" | "tasks:read" | "tasks:write" | "users:read")[];
    status: "active" | "expired" | "revoked";
    createdAt: number;
    createdBy: string | null;
    lastUsedAt: number | null;
    expiresAt: number | null;
    revokedAt: number | null;
}, {
    readonly title: "ApiKey";
    readonly description: "An integration's key, masked: its value is kept nowhere.";
}>]>;
/** A key in the answer that made it. */
export declare const newKeySchema: v.SchemaWithPipe<readonly [v.StrictObjectSchema<{
    readonly id: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
        readonly format: "uuid";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, string>]>, v.DescriptionAction<string, string>]>;
    readonly integrationId: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
        readonly format: "uuid";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, string>]>, v.DescriptionAction<string, string>]>;
    readonly integrationName: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
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
    }]>, v.DescriptionAction<string, string>]>;
    readonly maskedKey: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
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
    }]>, v.DescriptionAction<string, string>]>;
    readonly scopes: v.SchemaWithPipe<readonly [v.ArraySchema<v.PicklistSchema<readonly ["accounts:read", "accounts:write", "contacts:read", "contacts:write", "opportunities:read", "opportunities:write", "tasks:read", "tasks:write", "pipelines:read", "users:read"], undefined>, undefined>, v.DescriptionAction<("accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read" | "opportunities:write" | "pipelines:read" | "tasks:read" | "tasks:write" | "users:read")[], string>]>;
    readonly status: v.SchemaWithPipe<readonly [v.PicklistSchema<readonly ["active", "revoked", "expired"], undefined>, v.DescriptionAction<"active" | "expired" | "revoked", string>]>;
    readonly createdAt: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
        readonly format: "date-time";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, number>]>, v.DescriptionAction<number, string>]>;
    readonly createdBy: v.SchemaWithPipe<readonly [v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
        readonly format: "uuid";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, string>]>, undefined>, v.DescriptionAction<string | null, string>]>;
    readonly lastUsedAt: v.SchemaWithPipe<readonly [v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
        readonly format: "date-time";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, number>]>, undefined>, v.DescriptionAction<number | null, string>]>;
    readonly expiresAt: v.SchemaWithPipe<readonly [v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
        readonly format: "date-time";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, number>]>, undefined>, v.DescriptionAction<number | null, string>]>;
    readonly revokedAt: v.SchemaWithPipe<readonly [v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
        readonly format: "date-time";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, number>]>, undefined>, v.DescriptionAction<number | null, string>]>;
    readonly key: v.SchemaWithPipe<readonly [v.NullableSchema<v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
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
    }]>, undefined>, v.DescriptionAction<string | null, string>]>;
}, undefined>, v.MetadataAction<{
    id: string;
    integrationId: string;
    integrationName: string;
    maskedKey: string;
    scopes: ("accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read" | "opportunities:write" | "pipelines:read" | "tasks:read" | "tasks:write" | "users:read")[];
    status: "active" | "expired" | "revoked";
    createdAt: number;
    createdBy: string | null;
    lastUsedAt: number | null;
    expiresAt: number | null;
    revokedAt: number | null;
    key: string | null;
}, {
    readonly title: "NewApiKey";
    readonly description: "A key that was just made, with its value.";
}>]>;
