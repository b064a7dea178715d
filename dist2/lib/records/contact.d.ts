import * as v from "valibot";
import { foldEmail } from "./fold.ts";
export declare const contact: import("./model.ts").Model<"contact", {
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
    readonly email: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
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
        }]>, undefined>;
        readonly unique: typeof foldEmail;
    };
    readonly phone: {
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
    readonly jobTitle: {
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
    readonly accountId: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
            readonly format: "uuid";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, string>]>, undefined>;
        readonly reference: "account";
    };
    readonly ownerId: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
            readonly format: "uuid";
        }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
            type: "check";
        }, v.TransformAction<string, string>]>, undefined>;
        readonly reference: "user";
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
