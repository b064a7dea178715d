import * as v from "valibot";
import { type RecordOf } from "./model.ts";
export declare const opportunityStatuses: readonly ["open", "won", "lost"];
export declare const opportunity: import("./model.ts").Model<"opportunity", {
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
    readonly accountId: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
            readonly format: "uuid";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, string>]>, undefined>;
        readonly reference: "account";
    };
    readonly contactIds: {
        readonly schema: v.SchemaWithPipe<readonly [{
            readonly kind: "schema";
            readonly async: false;
            readonly "~standard": v.StandardProps<string[], string[]>;
            readonly "~types"?: {
                readonly input: string[];
                readonly output: string[];
                readonly issue: v.ArrayIssue | v.CheckIssue<string> | v.StringIssue;
            } | undefined;
            readonly type: "array";
            readonly reference: typeof v.array;
            readonly expects: "Array";
            readonly item: v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
                readonly format: "uuid";
            }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
                type: "check";
            }, v.TransformAction<string, string>]>;
            readonly message: string;
            readonly "~run": (dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) => v.OutputDataset<string[], v.ArrayIssue | v.CheckIssue<string> | v.StringIssue>;
        }, v.MetadataAction<string[], {
            readonly maxItems: number;
        }>, v.CheckAction<string[], v.ErrorMessage<v.CheckIssue<string[]>>> & {
            type: "check";
        }]>;
        readonly column: "links";
        readonly default: readonly [];
        readonly reference: "contact";
    };
    readonly pipelineId: {
        readonly schema: v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
            readonly format: "uuid";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, string>]>;
        readonly reference: "pipeline";
    };
    readonly stageId: {
        readonly schema: v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
            readonly format: "uuid";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, string>]>;
        readonly reference: "stage";
    };
    readonly status: {
        readonly schema: v.PicklistSchema<readonly ["open", "won", "lost"], undefined>;
        readonly default: "open";
    };
    readonly amount: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.NumberSchema<"must be a number">, v.CheckAction<number, v.ErrorMessage<v.CheckIssue<number>>> & {
            type: "check";
        }]>, undefined>;
        readonly column: "real";
    };
    readonly currency: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a currency code">, v.MetadataAction<string, {
            readonly format: "iso-4217";
            readonly pattern: "^[A-Z]{3}$";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }]>, undefined>;
    };
    readonly expectedCloseDate: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a date">, v.MetadataAction<string, {
            readonly format: "date";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }]>, undefined>;
    };
    readonly ownerId: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
            readonly format: "uuid";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, string>]>, undefined>;
        readonly reference: "user";
    };
    readonly lostReason: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
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
        }]>, undefined>;
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
    readonly stageChangedAt: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
            readonly format: "date-time";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, number>]>, undefined>;
        readonly column: "instant";
        readonly readOnly: true;
    };
    readonly externalId: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
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
        }]>, undefined>;
    };
    readonly customFields: {
        readonly schema: v.SchemaWithPipe<readonly [v.CustomSchema<Readonly<Record<string, unknown>>, v.ErrorMessage<v.CustomIssue> | undefined>, v.MetadataAction<Readonly<Record<string, unknown>>, {
            readonly type: "object";
            readonly title: "CustomFieldValues";
            readonly additionalProperties: {
                readonly description: string;
                readonly anyOf: readonly [{
                    readonly type: "string";
                }, {
                    readonly type: "number";
                }, {
                    readonly type: "array";
                    readonly items: {
                        readonly type: "string";
                    };
                }, {
                    readonly type: "object";
                    readonly properties: {
                        readonly amount: {
                            readonly type: "number";
                            readonly description: "In units of currency.";
                        };
                        readonly currency: {
                            readonly type: "string";
                            readonly description: "An ISO 4217 code.";
                        };
                    };
                    readonly required: readonly ["amount", "currency"];
                    readonly additionalProperties: false;
                }, {
                    readonly type: "null";
                }];
            };
        }>]>;
        readonly column: "json";
        readonly default: {};
    };
}>;
export type Opportunity = RecordOf<typeof opportunity>;
