import * as v from "valibot";
import { foldName } from "./fold.ts";
export declare const account: import("./model.ts").Model<"account", {
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
        readonly unique: typeof foldName;
    };
    readonly document: {
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
    readonly website: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
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
    readonly address: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.StrictObjectSchema<{
            readonly street: v.OptionalSchema<v.SchemaWithPipe<readonly [v.NullableSchema<v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
                type: "check";
            }]>, v.MetadataAction<string, {
                readonly maxLength: number;
            }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>, v.DescriptionAction<string | null, string>]>, null>;
            readonly city: v.OptionalSchema<v.SchemaWithPipe<readonly [v.NullableSchema<v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
                type: "check";
            }]>, v.MetadataAction<string, {
                readonly maxLength: number;
            }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>, v.DescriptionAction<string | null, string>]>, null>;
            readonly state: v.OptionalSchema<v.SchemaWithPipe<readonly [v.NullableSchema<v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
                type: "check";
            }]>, v.MetadataAction<string, {
                readonly maxLength: number;
            }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>, v.DescriptionAction<string | null, string>]>, null>;
            readonly postalCode: v.OptionalSchema<v.SchemaWithPipe<readonly [v.NullableSchema<v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
                type: "check";
            }]>, v.MetadataAction<string, {
                readonly maxLength: number;
            }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>, v.DescriptionAction<string | null, string>]>, null>;
            readonly country: v.OptionalSchema<v.SchemaWithPipe<readonly [v.NullableSchema<v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
                type: "check";
            }]>, v.MetadataAction<string, {
                readonly maxLength: number;
            }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>, v.DescriptionAction<string | null, string>]>, null>;
        }, undefined>, v.MetadataAction<{
            street: string | null;
            city: string | null;
            state: string | null;
            postalCode: string | null;
            country: string | null;
        }, {
            readonly title: "Address";
            readonly description: "What is left out is null; a PATCH replaces the address whole.";
        }>]>, undefined>;
        readonly column: "json";
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
