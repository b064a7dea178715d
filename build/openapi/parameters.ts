import { absentIfEmpty } from "../../lib/api/endpoint-request.ts";
import type { Endpoint } from "../../lib/index.ts";
import type { JsonSchema } from "../../lib/model/json-schema.ts";
import type { Result } from "../../test/support/harness.ts";
import type { Components } from "./components.ts";

type Json = Readonly<Record<string, unknown>>;

/** Pattern of If-Match: `*`, or a list of entity tags. */
const entityTagsPattern = '^(\\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$';

/**
 * Parameters of all operations with the same method, by component name. Optional parameters have examples only in their
 * descriptions: Bruno sends each parameter that has an `example` or `examples`, and Swagger UI prefills `example`.
 */
export const sharedParameters = {
  IfMatch: {
    name: "If-Match",
    in: "header",
    description:
      "ETag of the version that you read. If the record has changed since, the response is 412 and nothing changes. " +
      'Separate several ETags by commas. * matches every version. Example: `"2026-10-19T13:29:53.614Z"`.',
    schema: { type: "string", pattern: entityTagsPattern },
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description:
      "ETag of the version that you have. If it is the current version, the response is 304 without a body. Separate " +
      'several ETags by commas. * matches every version. Example: `"2026-10-19T13:29:53.614Z"`.',
    schema: { type: "string" },
  },
  Prefer: {
    name: "Prefer",
    in: "header",
    description:
      "`dry-run` runs all checks and returns the response of the real request, but writes nothing. The response has " +
      "`Preference-Applied: dry-run`, and neither `Location` nor `ETag`. An `Idempotency-Key` is ignored.",
    schema: { type: "string" },
  },
  PreferWait: {
    name: "Prefer",
    in: "header",
    description:
      "`wait=N` waits up to N seconds, 1 to 30, for records if the page is empty and the last one. The response has " +
      "`Preference-Applied: wait=N`, unless too many requests of the API key or the server wait already.",
    schema: { type: "string" },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Identifies the operation. A new UUID is recommended; any other printable ASCII text is accepted. Double quotes " +
      "around it are ignored. For 24 hours, the same request with the same key returns the first response and has no " +
      "second effect. Example: `0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d53`.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]+$" },
  },
};

/**
 * Returns the Parameter Objects of an operation. Examples of query parameters come from `results`, the first one first.
 */
export function operationParameters(endpoint: Endpoint, components: Components, results: readonly Result[]): Json[] {
  const shared = conditionalHeaders(endpoint);
  return [
    ...pathParameters(endpoint),
    ...queryParameters(endpoint, components, results),
    ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

/** Returns the components of the header parameters that depend on the endpoint. */
function conditionalHeaders({ method, hasETag, hasDryRun, canWait }: Endpoint): readonly string[] {
  if (canWait) return ["PreferWait"];
  const prefer = hasDryRun === undefined ? [] : ["Prefer"];
  if (method === "POST") return ["IdempotencyKey", ...prefer];
  if (hasETag === undefined) return prefer;
  return [method === "GET" ? "IfNoneMatch" : "IfMatch", ...prefer];
}

function pathParameters({ path, tag, example }: Endpoint): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: `ID of the ${singular(tag.name)}.`,
    schema: name === "requestId" ? { type: "string" } : { type: "string", format: "uuid" },
    example: example?.params?.[name],
  }));
}

function queryParameters(
  { query, example, tag }: Endpoint,
  components: Components,
  results: readonly Result[],
): Json[] {
  const bodies = results.map(({ body }) => (body ?? {}) as { data?: unknown });
  const records = bodies.flatMap((body) => (body.data ?? []) as Json | readonly Json[]) as readonly Json[];
  return Object.entries(query).map(([name, declared]) => {
    const {
      description = `Only ${lowerCased(tag.name)} with this ${name}.`,
      examples,
      ...schema
    } = components.of(declared, "request");
    const found = records.map((record) => record[name] ?? undefined).find((each) => each !== undefined);
    const value = parseExample(example?.query?.[name], schema) ?? examples?.[0] ?? schema.enum?.[0] ?? found;
    const parameter = { name, in: "query", ...(schema.type === "array" ? { style: "form", explode: false } : {}) };
    if (declared.type !== "optional") return { ...parameter, required: true, description, schema, example: value };
    return {
      ...parameter,
      required: false,
      ...(absentIfEmpty.includes(name) ? { allowEmptyValue: true } : {}),
      description: hasObviousValue(name, schema) ? description : `${description} Example: \`${value}\`.`,
      schema,
    };
  });
}

/** Reports whether the schema or the description of a parameter already shows its values. */
function hasObviousValue(name: string, { type, format, enum: values, default: value }: JsonSchema): boolean {
  return (
    name === "cursor" ||
    type === "boolean" ||
    type === "array" ||
    format === "uuid" ||
    values !== undefined ||
    value !== undefined
  );
}

function parseExample(text: string | undefined, { type }: JsonSchema): unknown {
  if (type === "array") return text?.split(",");
  return text !== undefined && type !== "string" ? JSON.parse(text) : text;
}

/** Returns a tag in lower case, such as accounts or API keys. */
export function lowerCased(tag: string): string {
  return tag.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

/** Returns the name of one item of a tag, such as opportunity or API key. */
export function singular(tag: string): string {
  if (tag === "Me") return "caller";
  return lowerCased(tag).replace(/ies$/, "y").replace(/s$/, "");
}
