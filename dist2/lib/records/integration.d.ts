import * as v from "valibot";
import { type RecordOf } from "./model.ts";
/** Everything an integration can be allowed. */
export declare const scopes: readonly ["accounts:read", "accounts:write", "contacts:read", "contacts:write", "opportunities:read", "opportunities:write", "tasks:read", "tasks:write", "pipelines:read", "users:read"];
export type Scope = (typeof scopes)[number];
/** A customer's system that calls the API: its scopes, and at most two active keys. */
export declare const integration: import("./model.ts").Model<"integration", {
    readonly name: {
        readonly schema: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
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
        readonly required: true;
    };
    readonly scopes: {
        readonly schema: v.ArraySchema<v.PicklistSchema<readonly ["accounts:read", "accounts:write", "contacts:read", "contacts:write", "opportunities:read", "opportunities:write", "tasks:read", "tasks:write", "pipelines:read", "users:read"], undefined>, undefined>;
        readonly column: "json";
        readonly default: readonly [];
    };
}>;
/** A credential of an integration. The value itself is kept nowhere: `hash` is its SHA-256 in hex. */
export declare const apiKey: import("./model.ts").Model<"apiKey", {
    readonly integrationId: {
        readonly schema: v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
            readonly format: "uuid";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, string>]>;
        readonly required: true;
        readonly reference: "integration";
    };
    readonly hash: {
        readonly schema: v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
            readonly pattern: "^[^\\u0000]*$";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }]>;
        readonly required: true;
        readonly hidden: true;
    };
    readonly maskedKey: {
        readonly schema: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
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
        readonly required: true;
    };
    readonly createdBy: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
            readonly format: "uuid";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, string>]>, undefined>;
        readonly reference: "user";
    };
    readonly lastUsedAt: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
            readonly format: "date-time";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, number>]>, undefined>;
        readonly column: "instant";
        readonly readOnly: true;
    };
    readonly expiresAt: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
            readonly format: "date-time";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, number>]>, undefined>;
        readonly column: "instant";
    };
    readonly revokedAt: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
            readonly format: "date-time";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, number>]>, undefined>;
        readonly column: "instant";
    };
}>;
/** The answer that one POST got, kept in the transaction of its effect. Its id is the caller's and the key. */
export declare const idempotencyRecord: import("./model.ts").Model<"idempotencyRecord", {
    readonly integrationId: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
            readonly format: "uuid";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, string>]>, undefined>;
        readonly reference: "integration";
    };
    readonly fingerprint: {
        readonly schema: v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
            readonly pattern: "^[^\\u0000]*$";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }]>;
        readonly required: true;
    };
    readonly status: {
        readonly schema: v.NumberSchema<undefined>;
        readonly column: "integer";
        readonly required: true;
    };
    readonly body: {
        schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
            readonly pattern: "^[^\\u0000]*$";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }]>, undefined>;
    };
    readonly location: {
        schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
            readonly pattern: "^[^\\u0000]*$";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }]>, undefined>;
    };
}>;
export type Integration = RecordOf<typeof integration>;
export type ApiKey = RecordOf<typeof apiKey>;
export type IdempotencyRecord = RecordOf<typeof idempotencyRecord>;
