import * as v from "valibot";
import { type RecordOf } from "./model.ts";
export declare const taskStatuses: readonly ["pending", "completed", "canceled"];
export declare const task: import("./model.ts").Model<"task", {
    readonly title: {
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
    readonly description: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
            readonly pattern: "^[^\\u0000]*$";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }]>, v.MetadataAction<string, {
            readonly maxLength: number;
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }]>, undefined>;
    };
    readonly priority: {
        readonly schema: v.PicklistSchema<readonly ["low", "medium", "high"], undefined>;
        readonly default: "medium";
    };
    readonly status: {
        readonly schema: v.PicklistSchema<readonly ["pending", "completed", "canceled"], undefined>;
        readonly default: "pending";
    };
    readonly dueDate: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
            readonly format: "date-time";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, number>]>, undefined>;
        readonly column: "instant";
    };
    readonly relatedTo: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StrictObjectSchema<{
            readonly type: v.SchemaWithPipe<readonly [v.PicklistSchema<readonly ["account", "contact", "opportunity"], undefined>, v.DescriptionAction<"account" | "contact" | "opportunity", string>]>;
            readonly id: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
                readonly format: "uuid";
            }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
                type: "check";
            }, v.TransformAction<string, string>]>, v.DescriptionAction<string, string>]>;
        }, undefined>, v.MetadataAction<{
            type: "account" | "contact" | "opportunity";
            id: string;
        }, {
            readonly title: "RelatedTo";
            readonly description: "One record of the tenant.";
        }>]>, undefined>;
        readonly column: {
            readonly type: "text";
            readonly id: "text";
        };
        readonly reference: "type";
    };
    readonly assignedTo: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
            readonly format: "uuid";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, string>]>, undefined>;
        readonly reference: "user";
    };
    readonly closedAt: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
            readonly format: "date-time";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, number>]>, undefined>;
        readonly column: "instant";
        readonly readOnly: true;
    };
}>;
export type Task = RecordOf<typeof task>;
