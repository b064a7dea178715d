import * as v from "valibot";
import type { Answer, Call, Context, Proposal } from "../endpoint.ts";
export declare const generation: v.OptionalSchema<v.StrictObjectSchema<{
    readonly integrationId: v.OptionalSchema<v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a uuid">, v.MetadataAction<string, {
        readonly format: "uuid";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, string>]>, v.DescriptionAction<string, string>]>, undefined>;
    readonly name: v.OptionalSchema<v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a string">, v.MetadataAction<string, {
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
    }]>, v.DescriptionAction<string, string>]>, undefined>;
    readonly scopes: v.OptionalSchema<v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.ArraySchema<v.PicklistSchema<readonly ["accounts:read", "accounts:write", "contacts:read", "contacts:write", "opportunities:read", "opportunities:write", "tasks:read", "tasks:write", "pipelines:read", "users:read"], undefined>, "must be a list of scopes">, v.TransformAction<("accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read" | "opportunities:write" | "pipelines:read" | "tasks:read" | "tasks:write" | "users:read")[], ("accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read" | "opportunities:write" | "pipelines:read" | "tasks:read" | "tasks:write" | "users:read")[]>]>, v.DescriptionAction<("accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read" | "opportunities:write" | "pipelines:read" | "tasks:read" | "tasks:write" | "users:read")[], string>]>, undefined>;
    readonly expiresAt: v.OptionalSchema<v.SchemaWithPipe<readonly [v.SchemaWithPipe<readonly [v.StringSchema<"must be a date-time">, v.MetadataAction<string, {
        readonly format: "date-time";
    }>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
        type: "check";
    }, v.TransformAction<string, number>]>, v.DescriptionAction<number, string>]>, undefined>;
    readonly rotate: v.OptionalSchema<v.SchemaWithPipe<readonly [v.BooleanSchema<"must be true or false">, v.DescriptionAction<boolean, string>]>, undefined>;
}, undefined>, {}>;
type GenerationBody = v.InferOutput<typeof generation>;
/**
 * Creates an API key and, if needed, its integration. The response is the only one that shows the key.
 * @throws ApiError `409 conflict` if the integration differs from the request or has two active keys
 */
export declare function generateApiKey({ body, caller }: Call<unknown, GenerationBody>, context: Context): Promise<Answer | Proposal>;
export {};
