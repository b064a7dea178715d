import type { RecordOf } from "./model.ts";
/** Every kind of record, each after the kinds that it refers to. */
export declare const models: {
    readonly tenant: import("./model.ts").Model<"tenant", {
        readonly name: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>;
            readonly required: true;
        };
    }>;
    readonly user: import("./model.ts").Model<"user", {
        readonly name: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>;
            readonly required: true;
        };
        readonly email: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").TransformAction<string, string>, import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly pattern: string;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>;
            readonly required: true;
            readonly unique: typeof import("./fold.ts").foldEmail;
        };
        readonly role: {
            readonly schema: import("valibot").PicklistSchema<readonly ["admin", "member"], undefined>;
            readonly default: "member";
        };
        readonly active: {
            readonly schema: import("valibot").BooleanSchema<"must be true or false">;
            readonly column: "boolean";
            readonly default: true;
        };
    }>;
    readonly pipeline: import("./model.ts").Model<"pipeline", {
        readonly name: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>;
            readonly required: true;
        };
        readonly isDefault: {
            readonly schema: import("valibot").BooleanSchema<"must be true or false">;
            readonly column: "boolean";
            readonly default: false;
        };
        readonly lostReasons: {
            readonly schema: import("valibot").ArraySchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
            readonly column: "json";
            readonly default: readonly [];
        };
        readonly requireLostReason: {
            readonly schema: import("valibot").BooleanSchema<"must be true or false">;
            readonly column: "boolean";
            readonly default: false;
        };
    }>;
    readonly stage: import("./model.ts").Model<"stage", {
        readonly pipelineId: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a uuid">, import("valibot").MetadataAction<string, {
                readonly format: "uuid";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, string>]>;
            readonly required: true;
            readonly reference: "pipeline";
        };
        readonly name: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>;
            readonly required: true;
        };
        readonly order: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").NumberSchema<string>, import("valibot").IntegerAction<number, string>, import("valibot").MinValueAction<number, number, string>, import("valibot").MaxValueAction<number, number, string>]>;
            readonly column: "integer";
            readonly required: true;
        };
        readonly probability: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").NumberSchema<string>, import("valibot").MinValueAction<number, number, string>, import("valibot").MaxValueAction<number, number, string>]>, undefined>;
            readonly column: "real";
        };
    }>;
    readonly customField: import("./model.ts").Model<"customField", {
        readonly entity: {
            readonly schema: import("valibot").PicklistSchema<readonly ["account", "contact", "opportunity"], undefined>;
            readonly required: true;
        };
        readonly key: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly pattern: "^[A-Za-z][A-Za-z0-9_]*$";
            }>, import("valibot").RegexAction<string, "must be letters, digits and _ only, a letter first">]>;
            readonly required: true;
        };
        readonly label: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>;
            readonly required: true;
        };
        readonly type: {
            readonly schema: import("valibot").PicklistSchema<readonly ["text", "number", "currency", "date", "list", "multi_list"], undefined>;
            readonly required: true;
        };
        readonly required: {
            readonly schema: import("valibot").BooleanSchema<"must be true or false">;
            readonly column: "boolean";
            readonly default: false;
        };
        readonly description: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
        readonly maxLength: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").NumberSchema<string>, import("valibot").IntegerAction<number, string>, import("valibot").MinValueAction<number, number, string>, import("valibot").MaxValueAction<number, number, string>]>, undefined>;
            readonly column: "integer";
        };
        readonly options: {
            readonly schema: import("valibot").NullableSchema<import("valibot").ArraySchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>, undefined>;
            readonly column: "json";
        };
        readonly optionLabels: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").CustomSchema<Readonly<Record<string, string>>, import("valibot").ErrorMessage<import("valibot").CustomIssue> | undefined>, import("valibot").MetadataAction<Readonly<Record<string, string>>, {
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
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").NumberSchema<string>, import("valibot").IntegerAction<number, string>, import("valibot").MinValueAction<number, number, string>, import("valibot").MaxValueAction<number, number, string>]>;
            readonly column: "integer";
            readonly default: 0;
        };
    }>;
    readonly rule: import("./model.ts").Model<"rule", {
        readonly entity: {
            readonly schema: import("valibot").PicklistSchema<readonly ["account", "contact", "opportunity", "task"], undefined>;
            readonly required: true;
        };
        readonly field: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>;
            readonly required: true;
        };
        readonly when: {
            readonly schema: import("valibot").NullableSchema<import("valibot").StrictObjectSchema<{
                readonly stageIds: import("valibot").OptionalSchema<import("valibot").ArraySchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a uuid">, import("valibot").MetadataAction<string, {
                    readonly format: "uuid";
                }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                    type: "check";
                }, import("valibot").TransformAction<string, string>]>, undefined>, undefined>;
                readonly statuses: import("valibot").OptionalSchema<import("valibot").ArraySchema<import("valibot").PicklistSchema<readonly ["open", "won", "lost"], undefined>, undefined>, undefined>;
            }, undefined>, undefined>;
            readonly column: "json";
        };
    }>;
    readonly integration: import("./model.ts").Model<"integration", {
        readonly name: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>;
            readonly required: true;
        };
        readonly scopes: {
            readonly schema: import("valibot").ArraySchema<import("valibot").PicklistSchema<readonly ["accounts:read", "accounts:write", "contacts:read", "contacts:write", "opportunities:read", "opportunities:write", "tasks:read", "tasks:write", "pipelines:read", "users:read"], undefined>, undefined>;
            readonly column: "json";
            readonly default: readonly [];
        };
    }>;
    readonly apiKey: import("./model.ts").Model<"apiKey", {
        readonly integrationId: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a uuid">, import("valibot").MetadataAction<string, {
                readonly format: "uuid";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, string>]>;
            readonly required: true;
            readonly reference: "integration";
        };
        readonly hash: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>;
            readonly required: true;
            readonly hidden: true;
        };
        readonly maskedKey: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>;
            readonly required: true;
        };
        readonly createdBy: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a uuid">, import("valibot").MetadataAction<string, {
                readonly format: "uuid";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, string>]>, undefined>;
            readonly reference: "user";
        };
        readonly lastUsedAt: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a date-time">, import("valibot").MetadataAction<string, {
                readonly format: "date-time";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, number>]>, undefined>;
            readonly column: "instant";
            readonly readOnly: true;
        };
        readonly expiresAt: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a date-time">, import("valibot").MetadataAction<string, {
                readonly format: "date-time";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, number>]>, undefined>;
            readonly column: "instant";
        };
        readonly revokedAt: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a date-time">, import("valibot").MetadataAction<string, {
                readonly format: "date-time";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, number>]>, undefined>;
            readonly column: "instant";
        };
    }>;
    readonly grant: import("./model.ts").Model<"grant", {
        readonly userId: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a uuid">, import("valibot").MetadataAction<string, {
                readonly format: "uuid";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, string>]>;
            readonly required: true;
            readonly reference: "user";
        };
    }>;
    readonly account: import("./model.ts").Model<"account", {
        readonly name: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>;
            readonly required: true;
            readonly unique: typeof import("./fold.ts").foldName;
        };
        readonly document: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
        readonly website: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly pattern: string;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
        readonly phone: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
        readonly email: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").TransformAction<string, string>, import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly pattern: string;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
        readonly description: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
        readonly address: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StrictObjectSchema<{
                readonly street: import("valibot").OptionalSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                    readonly pattern: "^[^\\u0000]*$";
                }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                    type: "check";
                }]>, import("valibot").MetadataAction<string, {
                    readonly maxLength: number;
                }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                    type: "check";
                }]>, undefined>, import("valibot").DescriptionAction<string | null, string>]>, null>;
                readonly city: import("valibot").OptionalSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                    readonly pattern: "^[^\\u0000]*$";
                }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                    type: "check";
                }]>, import("valibot").MetadataAction<string, {
                    readonly maxLength: number;
                }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                    type: "check";
                }]>, undefined>, import("valibot").DescriptionAction<string | null, string>]>, null>;
                readonly state: import("valibot").OptionalSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                    readonly pattern: "^[^\\u0000]*$";
                }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                    type: "check";
                }]>, import("valibot").MetadataAction<string, {
                    readonly maxLength: number;
                }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                    type: "check";
                }]>, undefined>, import("valibot").DescriptionAction<string | null, string>]>, null>;
                readonly postalCode: import("valibot").OptionalSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                    readonly pattern: "^[^\\u0000]*$";
                }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                    type: "check";
                }]>, import("valibot").MetadataAction<string, {
                    readonly maxLength: number;
                }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                    type: "check";
                }]>, undefined>, import("valibot").DescriptionAction<string | null, string>]>, null>;
                readonly country: import("valibot").OptionalSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                    readonly pattern: "^[^\\u0000]*$";
                }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                    type: "check";
                }]>, import("valibot").MetadataAction<string, {
                    readonly maxLength: number;
                }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                    type: "check";
                }]>, undefined>, import("valibot").DescriptionAction<string | null, string>]>, null>;
            }, undefined>, import("valibot").MetadataAction<{
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
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a uuid">, import("valibot").MetadataAction<string, {
                readonly format: "uuid";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, string>]>, undefined>;
            readonly reference: "user";
        };
        readonly externalId: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
        readonly customFields: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").CustomSchema<Readonly<Record<string, unknown>>, import("valibot").ErrorMessage<import("valibot").CustomIssue> | undefined>, import("valibot").MetadataAction<Readonly<Record<string, unknown>>, {
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
    readonly contact: import("./model.ts").Model<"contact", {
        readonly name: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>;
            readonly required: true;
        };
        readonly email: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").TransformAction<string, string>, import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly pattern: string;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
            readonly unique: typeof import("./fold.ts").foldEmail;
        };
        readonly phone: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
        readonly jobTitle: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
        readonly accountId: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a uuid">, import("valibot").MetadataAction<string, {
                readonly format: "uuid";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, string>]>, undefined>;
            readonly reference: "account";
        };
        readonly ownerId: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a uuid">, import("valibot").MetadataAction<string, {
                readonly format: "uuid";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, string>]>, undefined>;
            readonly reference: "user";
        };
        readonly externalId: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
        readonly customFields: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").CustomSchema<Readonly<Record<string, unknown>>, import("valibot").ErrorMessage<import("valibot").CustomIssue> | undefined>, import("valibot").MetadataAction<Readonly<Record<string, unknown>>, {
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
    readonly opportunity: import("./model.ts").Model<"opportunity", {
        readonly name: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>;
            readonly required: true;
        };
        readonly accountId: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a uuid">, import("valibot").MetadataAction<string, {
                readonly format: "uuid";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, string>]>, undefined>;
            readonly reference: "account";
        };
        readonly contactIds: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [{
                readonly kind: "schema";
                readonly async: false;
                readonly "~standard": import("valibot").StandardProps<string[], string[]>;
                readonly "~types"?: {
                    readonly input: string[];
                    readonly output: string[];
                    readonly issue: import("valibot").ArrayIssue | import("valibot").CheckIssue<string> | import("valibot").StringIssue;
                } | undefined;
                readonly type: "array";
                readonly reference: typeof import("valibot").array;
                readonly expects: "Array";
                readonly item: import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a uuid">, import("valibot").MetadataAction<string, {
                    readonly format: "uuid";
                }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                    type: "check";
                }, import("valibot").TransformAction<string, string>]>;
                readonly message: string;
                readonly "~run": (dataset: import("valibot").UnknownDataset, config: import("valibot").Config<import("valibot").BaseIssue<unknown>>) => import("valibot").OutputDataset<string[], import("valibot").ArrayIssue | import("valibot").CheckIssue<string> | import("valibot").StringIssue>;
            }, import("valibot").MetadataAction<string[], {
                readonly maxItems: number;
            }>, import("valibot").CheckAction<string[], import("valibot").ErrorMessage<import("valibot").CheckIssue<string[]>>> & {
                type: "check";
            }]>;
            readonly column: "links";
            readonly default: readonly [];
            readonly reference: "contact";
        };
        readonly pipelineId: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a uuid">, import("valibot").MetadataAction<string, {
                readonly format: "uuid";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, string>]>;
            readonly reference: "pipeline";
        };
        readonly stageId: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a uuid">, import("valibot").MetadataAction<string, {
                readonly format: "uuid";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, string>]>;
            readonly reference: "stage";
        };
        readonly status: {
            readonly schema: import("valibot").PicklistSchema<readonly ["open", "won", "lost"], undefined>;
            readonly default: "open";
        };
        readonly amount: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").NumberSchema<"must be a number">, import("valibot").CheckAction<number, import("valibot").ErrorMessage<import("valibot").CheckIssue<number>>> & {
                type: "check";
            }]>, undefined>;
            readonly column: "real";
        };
        readonly currency: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a currency code">, import("valibot").MetadataAction<string, {
                readonly format: "iso-4217";
                readonly pattern: "^[A-Z]{3}$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
        readonly expectedCloseDate: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a date">, import("valibot").MetadataAction<string, {
                readonly format: "date";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
        readonly ownerId: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a uuid">, import("valibot").MetadataAction<string, {
                readonly format: "uuid";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, string>]>, undefined>;
            readonly reference: "user";
        };
        readonly lostReason: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
        readonly closedAt: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a date-time">, import("valibot").MetadataAction<string, {
                readonly format: "date-time";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, number>]>, undefined>;
            readonly column: "instant";
            readonly readOnly: true;
        };
        readonly stageChangedAt: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a date-time">, import("valibot").MetadataAction<string, {
                readonly format: "date-time";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, number>]>, undefined>;
            readonly column: "instant";
            readonly readOnly: true;
        };
        readonly externalId: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
        readonly customFields: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").CustomSchema<Readonly<Record<string, unknown>>, import("valibot").ErrorMessage<import("valibot").CustomIssue> | undefined>, import("valibot").MetadataAction<Readonly<Record<string, unknown>>, {
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
    readonly task: import("./model.ts").Model<"task", {
        readonly title: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly minLength: 1;
                readonly pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>;
            readonly required: true;
        };
        readonly description: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, import("valibot").MetadataAction<string, {
                readonly maxLength: number;
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
        readonly priority: {
            readonly schema: import("valibot").PicklistSchema<readonly ["low", "medium", "high"], undefined>;
            readonly default: "medium";
        };
        readonly status: {
            readonly schema: import("valibot").PicklistSchema<readonly ["pending", "completed", "canceled"], undefined>;
            readonly default: "pending";
        };
        readonly dueDate: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a date-time">, import("valibot").MetadataAction<string, {
                readonly format: "date-time";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, number>]>, undefined>;
            readonly column: "instant";
        };
        readonly relatedTo: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StrictObjectSchema<{
                readonly type: import("valibot").SchemaWithPipe<readonly [import("valibot").PicklistSchema<readonly ["account", "contact", "opportunity"], undefined>, import("valibot").DescriptionAction<"account" | "contact" | "opportunity", string>]>;
                readonly id: import("valibot").SchemaWithPipe<readonly [import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a uuid">, import("valibot").MetadataAction<string, {
                    readonly format: "uuid";
                }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                    type: "check";
                }, import("valibot").TransformAction<string, string>]>, import("valibot").DescriptionAction<string, string>]>;
            }, undefined>, import("valibot").MetadataAction<{
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
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a uuid">, import("valibot").MetadataAction<string, {
                readonly format: "uuid";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, string>]>, undefined>;
            readonly reference: "user";
        };
        readonly closedAt: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a date-time">, import("valibot").MetadataAction<string, {
                readonly format: "date-time";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, number>]>, undefined>;
            readonly column: "instant";
            readonly readOnly: true;
        };
    }>;
    readonly idempotencyRecord: import("./model.ts").Model<"idempotencyRecord", {
        readonly integrationId: {
            readonly schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a uuid">, import("valibot").MetadataAction<string, {
                readonly format: "uuid";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }, import("valibot").TransformAction<string, string>]>, undefined>;
            readonly reference: "integration";
        };
        readonly fingerprint: {
            readonly schema: import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>;
            readonly required: true;
        };
        readonly status: {
            readonly schema: import("valibot").NumberSchema<undefined>;
            readonly column: "integer";
            readonly required: true;
        };
        readonly body: {
            schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
        readonly location: {
            schema: import("valibot").NullableSchema<import("valibot").SchemaWithPipe<readonly [import("valibot").StringSchema<"must be a string">, import("valibot").MetadataAction<string, {
                readonly pattern: "^[^\\u0000]*$";
            }>, import("valibot").CheckAction<string, import("valibot").ErrorMessage<import("valibot").CheckIssue<string>>> & {
                type: "check";
            }]>, undefined>;
        };
    }>;
};
export type Kind = keyof typeof models;
export type Records = {
    readonly [K in Kind]: RecordOf<(typeof models)[K]>;
};
/** A record of any kind. */
export type AnyRecord = Records[Kind];
