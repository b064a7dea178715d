import type * as v from "valibot";
import { tenantIdMember } from "../../lib/api/rules/body-schema.ts";
import type { Endpoint } from "../../lib/index.ts";
import type { JsonSchema } from "../../lib/model/json-schema.ts";
import { capitalize } from "../../lib/model/names.ts";
import type { Result } from "../../test/support/harness.ts";
import type { Components } from "./components.ts";
import { codeOf, commonErrors, type ErrorName, errorDescriptions, errorsOf } from "./errors.ts";
import { errorHeaders, notModifiedHeaders, successHeaders } from "./headers.ts";
import { lowerCased, operationParameters, singular } from "./parameters.ts";
import type { Recording } from "./recording.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns the Operation Object of an endpoint.
 * @param recording a request to the endpoint and its response, used as examples
 * @param sameTag results of all endpoints with the same tag, as examples of query parameters
 */
export function operation(
  endpoint: Endpoint,
  components: Components,
  recording: Recording,
  sameTag: readonly Result[],
): Json {
  const { name, summary, description, tag, method } = endpoint;
  const { note, extension, security } = accessOf(endpoint);
  const { sentBody, result } = recording;
  const body = requestBody(endpoint, components, sentBody);
  return {
    operationId: name,
    summary,
    description: `${description}\n\n${note}`,
    tags: [tag.name],
    security,
    ...extension,
    parameters: operationParameters(endpoint, components, [result, ...sameTag]),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      ...successes(endpoint, components, result.body),
      ...(method === "GET" && endpoint.hasETag ? { 304: notModified } : {}),
      ...errors(endpoint),
    },
  };
}

const notModified: Json = {
  description: "The record hasn't changed since the version in If-None-Match. The response has no body.",
  headers: notModifiedHeaders,
};

type Access = { readonly note: string; readonly extension: Json; readonly security: readonly Json[] };

/** Returns the required permission as a sentence, as the `x-scope` extension and as security requirements. */
function accessOf({ access, scope, query }: Endpoint): Access {
  if (access === "admin") {
    const note = "Requires a token of an active admin of the tenant.";
    return { note, extension: { "x-scope": "admin" }, security: [{ adminToken: ["admin"] }] };
  }
  const security = (scopes: readonly string[]): Json[] => [{ apiKey: scopes }, { bearerKey: scopes }];
  if (scope === undefined) {
    return {
      note: "Requires an API key. No scope is required.",
      extension: { "x-scope": null },
      security: security([]),
    };
  }
  if (typeof scope === "string") {
    return { note: `Requires the scope \`${scope}\`.`, extension: { "x-scope": scope }, security: security([scope]) };
  }
  const [parameter = "", options = []] =
    Object.entries(query).flatMap(([name, optional]) => {
      const schema = "wrapped" in optional ? (optional.wrapped as v.GenericSchema) : optional;
      return "options" in schema ? [[name, schema.options as string[]] as const] : [];
    })[0] ?? [];
  const values = Object.fromEntries(options.map((value) => [value, scope({ [parameter]: value })]));
  const list = Object.entries(values).map(([value, required]) => `\`${required}\` for ${value}`);
  const note = `The required scope depends on \`${parameter}\`: ${list.join(", ")}.`;
  return { note, extension: { "x-scope": { parameter, values } }, security: security([]) };
}

function requestBody(
  { body, describedBody = body }: Endpoint,
  components: Components,
  sentBody: unknown,
): Json | undefined {
  if (body === undefined) return undefined;
  const schema = components.of(describedBody ?? body, "request", { tenantId: tenantIdMember });
  return {
    required: body.type !== "optional",
    content: { "application/json": { schema, example: sentBody ?? {} } },
  };
}

/** Returns the successful responses by status. All have the same schema, and the recording as an example. */
function successes(endpoint: Endpoint, components: Components, body: unknown): Json {
  const { status, otherStatus } = endpoint.success;
  const responseOf = (each: number): Json => {
    const spec = { ...endpoint.success, status: each as typeof status };
    return success({ ...endpoint, success: spec }, components, body);
  };
  const statuses = otherStatus === undefined ? [status] : [status, otherStatus];
  return Object.fromEntries(statuses.map((each) => [each, responseOf(each)]));
}

function success(endpoint: Endpoint, components: Components, body: unknown): Json {
  const { data, collection } = endpoint.success;
  const headers = successHeaders(endpoint);
  if (data === undefined) return { description: "No content.", headers };
  const schema = envelope(components, components.of(data, "response"), collection);
  const content = { "application/json": { schema, example: body } };
  return { description: successDescription(endpoint), headers, content };
}

function successDescription({ method, tag, success: { status, otherStatus, collection } }: Endpoint): string {
  if (status === 207) return "The results of the operations. At least one has failed.";
  if (otherStatus === 207) return "The results of the operations. All have succeeded.";
  if (collection === "page") return `A page of ${lowerCased(tag.name)}.`;
  if (collection === "history") return "A page of events, newest first.";
  if (collection === "list") return `The list of ${lowerCased(tag.name)}.`;
  if (method === "PATCH") return `The updated ${singular(tag.name)}.`;
  return status === 201 ? `The created ${singular(tag.name)}.` : `The ${singular(tag.name)}.`;
}

/** Returns a reference to the schema of a response body with this data, such as `TaskPage`. */
function envelope(components: Components, data: JsonSchema, collection: Endpoint["success"]["collection"]): JsonSchema {
  const name = data.$ref?.split("/").at(-1) ?? "";
  const closed = { type: "object", additionalProperties: false } as const;
  if (collection === undefined)
    return components.add(`${name}Envelope`, { ...closed, properties: { data }, required: ["data"] });
  const list: JsonSchema = { type: "array", items: data, description: "The records." };
  if (collection === "list")
    return components.add(`${name}List`, { ...closed, properties: { data: list }, required: ["data"] });
  const nextCursor: JsonSchema = {
    type: ["string", "null"],
    maxLength: 1024,
    description: "Value for `cursor` to get the next page. `null` on the last page.",
  };
  const properties = { data: list, nextCursor };
  return components.add(`${name}Page`, { ...closed, properties, required: ["data", "nextCursor"] });
}

function errors(endpoint: Endpoint): Json {
  const responses = [...errorsOf(endpoint)].map(([status, names]): [string, Json] => {
    const [component] = Object.entries(commonErrors).find(([, name]) => name === names[0]) ?? [];
    const response = component ? { $ref: `#/components/responses/${component}` } : errorResponse(status, names);
    return [String(status), response];
  });
  return Object.fromEntries(responses);
}

/**
 * Returns a Response Object for errors with the same status. All have one schema, because generators make a type of
 * each.
 */
export function errorResponse(status: number, names: readonly ErrorName[]): Json {
  const lines = names.map((name) => `\`${codeOf(name)}\`: ${errorDescriptions[name]}`);
  const description = lines.length === 1 ? lines[0] : lines.map((line) => `- ${line}`).join("\n");
  const examples = names.map((name) => [codeOf(name), { $ref: `#/components/examples/${exampleName(name)}` }]);
  const schema = { $ref: "#/components/schemas/Error" };
  const content = { "application/json": { schema, examples: Object.fromEntries(examples) } };
  return { description, "x-error-codes": names.map(codeOf), headers: errorHeaders(status), content };
}

/** Returns the component name of the example of an error, such as `NotFound404`. */
export function exampleName(name: ErrorName): string {
  const words = codeOf(name).split("_").map(capitalize);
  return `${words.join("")}${name.slice(0, 3)}`;
}
