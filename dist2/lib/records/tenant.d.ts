import * as v from "valibot";
import { type RecordOf } from "./model.ts";
/** One customer's CRM. Its id is the `tenantId` of everything in it. */
export declare const tenant: import("./model.ts").Model<"tenant", {
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
}>;
/** A field that this tenant requires, always or at a stage or status; `customFields.<key>` names a custom one. */
export declare const rule: import("./model.ts").Model<"rule", {
    readonly entity: {
        readonly schema: v.PicklistSchema<readonly ["account", "contact", "opportunity", "task"], undefined>;
        readonly required: true;
    };
    readonly field: {
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
    readonly when: {
        readonly schema: v.NullableSchema<v.StrictObjectSchema<{
            readonly stageIds: v.OptionalSchema<v.ArraySchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
                readonly format: "uuid";
            }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
                type: "check";
            }, v.TransformAction<string, string>]>, undefined>, undefined>;
            readonly statuses: v.OptionalSchema<v.ArraySchema<v.PicklistSchema<readonly ["open", "won", "lost"], undefined>, undefined>, undefined>;
        }, undefined>, undefined>;
        readonly column: "json";
    };
}>;
/** Lets a system outside act for a user of this tenant. */
export declare const grant: import("./model.ts").Model<"grant", {
    readonly userId: {
        readonly schema: v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
            readonly format: "uuid";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, string>]>;
        readonly required: true;
        readonly reference: "user";
    };
}>;
export type Rule = RecordOf<typeof rule>;
