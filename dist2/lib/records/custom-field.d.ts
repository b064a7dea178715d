import * as v from "valibot";
import { type RecordOf } from "./model.ts";
/** The kinds of record that carry `customFields`. */
export declare const customEntities: readonly ["account", "contact", "opportunity"];
export declare const customFieldTypes: readonly ["text", "number", "currency", "date", "list", "multi_list"];
/** Where the catalogue names no other bound for a text. */
export declare const maxLengthDefault = 255;
export type CustomFieldValues = Readonly<Record<string, unknown>>;
/** Any object: what its keys and values may be is the tenant's catalogue to say, not a schema's. */
export declare const customFieldValues: v.SchemaWithPipe<readonly [v.CustomSchema<Readonly<Record<string, unknown>>, v.ErrorMessage<v.CustomIssue> | undefined>, v.MetadataAction<Readonly<Record<string, unknown>>, {
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
/** A key of the catalogue: a word that needs no escape in a JSON Pointer and is no name of an object's own. */
export declare const catalogKey: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
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
}]>, v.MetadataAction<string, {
    readonly pattern: "^[A-Za-z][A-Za-z0-9_]*$";
}>, v.RegexAction<string, "must be letters, digits and _ only, a letter first">]>;
/** What people see, by option. valibot's record would silently drop an option called "constructor". */
export declare const optionLabels: v.SchemaWithPipe<readonly [v.CustomSchema<Readonly<Record<string, string>>, v.ErrorMessage<v.CustomIssue> | undefined>, v.MetadataAction<Readonly<Record<string, string>>, {
    readonly type: "object";
    readonly additionalProperties: {
        readonly type: "string";
        readonly minLength: 1;
        readonly maxLength: 255;
    };
}>]>;
export declare const customField: import("./model.ts").Model<"customField", {
    readonly entity: {
        readonly schema: v.PicklistSchema<readonly ["account", "contact", "opportunity"], undefined>;
        readonly required: true;
    };
    readonly key: {
        readonly schema: v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
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
        }]>, v.MetadataAction<string, {
            readonly pattern: "^[A-Za-z][A-Za-z0-9_]*$";
        }>, v.RegexAction<string, "must be letters, digits and _ only, a letter first">]>;
        readonly required: true;
    };
    readonly label: {
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
    readonly type: {
        readonly schema: v.PicklistSchema<readonly ["text", "number", "currency", "date", "list", "multi_list"], undefined>;
        readonly required: true;
    };
    readonly required: {
        readonly schema: v.BooleanSchema<"must be true or false">;
        readonly column: "boolean";
        readonly default: false;
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
    readonly maxLength: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.NumberSchema<string>, v.IntegerAction<number, string>, v.MinValueAction<number, number, string>, v.MaxValueAction<number, number, string>]>, undefined>;
        readonly column: "integer";
    };
    readonly options: {
        readonly schema: v.NullableSchema<v.ArraySchema<v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
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
        }]>, undefined>, undefined>;
        readonly column: "json";
    };
    readonly optionLabels: {
        readonly schema: v.NullableSchema<v.SchemaWithPipe<readonly [v.CustomSchema<Readonly<Record<string, string>>, v.ErrorMessage<v.CustomIssue> | undefined>, v.MetadataAction<Readonly<Record<string, string>>, {
            readonly type: "object";
            readonly additionalProperties: {
                readonly type: "string";
                readonly minLength: 1;
                readonly maxLength: 255;
            };
        }>]>, undefined>;
        readonly column: "json";
    };
    readonly position: {
        readonly schema: v.SchemaWithPipe<readonly [v.NumberSchema<string>, v.IntegerAction<number, string>, v.MinValueAction<number, number, string>, v.MaxValueAction<number, number, string>]>;
        readonly column: "integer";
        readonly default: 0;
    };
}>;
export type CustomField = RecordOf<typeof customField>;
