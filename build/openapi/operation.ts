import type { JsonSchema } from "@valibot/to-json-schema";
import type { Endpoint } from "../../lib/index.ts";
import type { Result } from "../../test/harness.ts";
import type { Components } from "./components.ts";
import { codeOf, commonErrors, type ErrorName, errorDescriptions, errorSchema, errorsOf } from "./errors.ts";
import { errorHeaders, notModifiedHeaders, successHeaders } from "./headers.ts";
import type { Recorded } from "./recording.ts";

type Json = Readonly<Record<string, unknown>>;

/** An Operation Object: everything the description says of one endpoint. */
export function operation(
  endpoint: Endpoint,
  components: Components,
  { sent, result }: Recorded,
  all: readonly Recorded[],
): Json {
  const { name, summary, description, tag, method } = endpoint;
  const { words, extension, security } = access(endpoint);
  const body = requestBody(endpoint, components, sent);
  return {
    operationId: name,
    summary,
    description: `${description}\n\n${words}`,
    tags: [tag.name],
    security,
    ...extension,
    parameters: [
      ...pathParameters(endpoint),
      ...queryParameters(endpoint, components, [result, ...all.map((each) => each.result)]),
      ...["RequestId", "TenantHeader", "TenantQuery", ...ownHeaders(endpoint)].map((key) => ({
        $ref: `#/components/parameters/${key}`,
      })),
    ],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      [endpoint.success.status]: success(endpoint, components, result.body),
      ...(method === "GET" && endpoint.hasETag ? { 304: notModified } : {}),
      ...errors(endpoint),
    },
  };
}

const notModified: Json = {
  description: "The record is the version in If-None-Match. There is no body.",
  headers: notModifiedHeaders,
};

/** Returns the components of the header parameters that depend on the endpoint. */
function ownHeaders({ method, hasETag }: Endpoint): readonly string[] {
  if (method === "POST") return ["IdempotencyKey"];
  if (hasETag === undefined) return [];
  return [method === "GET" ? "IfNoneMatch" : "IfMatch"];
}

/** Who may call it: in words, as security requirements with their roles, and for programs. */
function access({ access, scope, query }: Endpoint): { words: string; extension: Json; security: readonly Json[] } {
  if (access === "admin") {
    const words = "Needs the token of a user who is an active administrator of the tenant.";
    return { words, extension: { "x-scope": "admin" }, security: [{ adminToken: ["admin"] }] };
  }
  const security = (scopes: readonly string[]): Json[] => [{ apiKey: scopes }, { bearerKey: scopes }];
  if (scope === undefined) {
    return { words: "Needs an API key, and no scope.", extension: { "x-scope": null }, security: security([]) };
  }
  if (typeof scope === "string") {
    return { words: `Needs the scope \`${scope}\`.`, extension: { "x-scope": scope }, security: security([scope]) };
  }
  const [name = "", options = []] =
    Object.entries(query).flatMap(([key, schema]) => {
      return "options" in schema ? [[key, schema.options as string[]] as const] : [];
    })[0] ?? [];
  const byValue = Object.fromEntries(options.map((value) => [value, scope({ [name]: value })]));
  const list = Object.entries(byValue).map(([value, needed]) => `\`${needed}\` for ${value}`);
  const words = `Needs a scope that follows from ${name}: ${list.join(", ")}.`;
  return { words, extension: { "x-scope": { parameter: name, values: byValue } }, security: security([]) };
}

function pathParameters({ path, tag, example }: Endpoint): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: `The ${name} of one of the tenant's ${small(tag.name)}.`,
    schema: { type: "string", format: "uuid" },
    example: example?.params?.[name],
  }));
}

/** `answered` is what the examples are taken from: its own answer first, then what the same tag answered elsewhere. */
function queryParameters(
  { query, example, tag }: Endpoint,
  components: Components,
  answered: readonly Result[],
): Json[] {
  const bodies = answered.map(({ body }) => (body ?? {}) as { data?: unknown; nextCursor?: string });
  const data = bodies.flatMap((body) => (body.data ?? []) as Json | readonly Json[]) as readonly Json[];
  return Object.entries(query).map(([name, declared]) => {
    const { description, ...schema } = components.of(declared, "request");
    const shown = { cursor: bodies[0]?.nextCursor, includeArchived: true, limit: 50 }[name] ?? valueIn(data, name);
    const required = declared.type !== "optional";
    const value = typed(example?.query?.[name], schema) ?? shown;
    return {
      name,
      in: "query",
      required,
      description: description ?? `Only ${small(tag.name)} with this ${name}.`,
      // Pages that try a call out fill in the first sort of example: what is optional is left empty there.
      ...(required ? { schema, example: value } : { schema: { ...schema, examples: [value] } }),
    };
  });
}

/** The first value of this member in a list of records, or of the ids in a member that the name is made from. */
function valueIn(data: readonly Json[], name: string): unknown {
  const within = (record: Json): unknown => {
    const [one, many] = [record[name.replace(/Id$/, "")] as Json | undefined, record[`${name}s`]];
    return record[name] ?? one?.id ?? (Array.isArray(many) ? many[0] : undefined);
  };
  return data.map(within).find((value) => value !== undefined);
}

function typed(text: string | undefined, { type }: JsonSchema): unknown {
  return text !== undefined && type !== "string" ? JSON.parse(text) : text;
}

/** In the middle of a sentence: accounts, API keys. */
function small(name: string): string {
  return name.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

function requestBody({ body }: Endpoint, components: Components, sent: unknown): Json | undefined {
  if (body === undefined) return undefined;
  const schema = components.of(body, "request", { tenantId: tenantMember });
  return {
    required: body.type !== "optional",
    content: { "application/json": { schema, example: sent ?? {} } },
  };
}

/** A member that every body may have. */
const tenantMember: JsonSchema = {
  type: "string",
  format: "uuid",
  description: "The id of the key's tenant, for clients that send it everywhere. Another one is refused with 422.",
};

function success(endpoint: Endpoint, components: Components, body: unknown): Json {
  const { status, data, collection } = endpoint.success;
  const headers = successHeaders(endpoint);
  if (data === undefined) return { description: "Done; there is nothing to show.", headers };
  const schema = envelope(components.of(data, "response"), collection);
  const one = { POST: status === 201 ? "It was made." : "It, as it is now.", PATCH: "It, as it is now." };
  const words = { list: "All of them.", page: "One page.", one: one[endpoint.method as "POST"] ?? "It was found." };
  return {
    description: words[collection ?? "one"],
    headers,
    content: { "application/json": { schema, example: body } },
  };
}

function envelope(data: JsonSchema, many: "list" | "page" | undefined): JsonSchema {
  const closed = { type: "object", additionalProperties: false } as const;
  if (many === undefined) return { ...closed, properties: { data }, required: ["data"] };
  const list: JsonSchema = { type: "array", items: data, description: "The records." };
  if (many === "list") return { ...closed, properties: { data: list }, required: ["data"] };
  const nextCursor: JsonSchema = {
    type: ["string", "null"],
    maxLength: 256,
    description: "What leads to the next page, as cursor. Null: this is the last.",
  };
  return { ...closed, properties: { data: list, nextCursor }, required: ["data", "nextCursor"] };
}

function errors(endpoint: Endpoint): Json {
  const all = [...errorsOf(endpoint)].map(([status, names]): [string, Json] => {
    const common = Object.entries(commonErrors).find(([, name]) => name === names[0]);
    return [String(status), common ? { $ref: `#/components/responses/${common[0]}` } : errorResponse(status, names)];
  });
  return Object.fromEntries(all);
}

/** A Response Object for these errors, which share a status. */
export function errorResponse(status: number, names: readonly ErrorName[]): Json {
  const lines = names.map((name) => `- \`${codeOf(name)}\`: ${errorDescriptions[name]}`);
  const description =
    names.length === 1
      ? `\`${codeOf(names[0] as ErrorName)}\`: ${errorDescriptions[names[0] as ErrorName]}`
      : lines.join("\n");
  const examples = names.map((name) => [codeOf(name), { $ref: `#/components/examples/${exampleName(name)}` }]);
  const content = { "application/json": { schema: errorSchema(names), examples: Object.fromEntries(examples) } };
  return { description, headers: errorHeaders(status), content };
}

/** The name of the component that shows an error, such as `NotFound404`. */
export function exampleName(name: ErrorName): string {
  const words = codeOf(name)
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}${name.slice(0, 3)}`;
}
