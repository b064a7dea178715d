import { endpoints } from "../../lib/endpoints/index.ts";
import type { Endpoint } from "../../lib/index.ts";
import { Components } from "./components.ts";
import { errorSchemas } from "./error-schemas.ts";
import { commonErrors, statusOf } from "./errors.ts";
import { headers } from "./headers.ts";
import { info, securitySchemes } from "./info.ts";
import { errorResponse, exampleName, operation } from "./operation.ts";
import { sharedParameters } from "./parameters.ts";
import { type Recording, recordErrors, recordSuccesses } from "./recording.ts";

type Json = Readonly<Record<string, unknown>>;

/** Returns the OpenAPI 3.1 description of the API. Its examples are real responses of the API. */
export async function openApiDocument(): Promise<Json> {
  const components = new Components();
  const paths: Record<string, Record<string, unknown>> = {};
  const recordings = await recordSuccesses(endpoints);
  // Responses first, so that a schema that differs between request and response keeps its plain name in responses.
  for (const { success } of endpoints) if (success.data !== undefined) components.of(success.data, "response");
  for (const endpoint of endpoints) {
    const recording = recordings.get(endpoint) as Recording;
    const { path, method, success, access, tag } = endpoint;
    if (![success.status, success.otherStatus].includes(recording.result.status as 200))
      throw new Error(`${endpoint.name}: ${recording.result.text}`);
    const template = path.replace(/:(\w+)/g, "{$1}");
    paths[template] ??= access === "admin" ? { servers: [adminServer] } : {};
    const sameTag = [...recordings].flatMap(([other, { result }]) => (other.tag.name === tag.name ? [result] : []));
    paths[template][method.toLowerCase()] = operation(endpoint, components, recording, sameTag);
  }
  const document = {
    openapi: "3.1.0",
    info,
    servers: [server],
    // Postman and Bruno set the authentication of the whole collection from it.
    security: [{ apiKey: [] }, { bearerKey: [] }],
    tags: tagsOf(endpoints),
    paths,
    components: {
      securitySchemes,
      parameters: sharedParameters,
      headers,
      responses: Object.fromEntries(
        Object.entries(commonErrors).map(([key, name]) => [key, errorResponse(statusOf(name), [name])]),
      ),
      schemas: sortedByKey({ ...components.schemas, ...errorSchemas }),
      examples: await errorExamples(),
    },
  };
  return JSON.parse(JSON.stringify(document));
}

/** GET /openapi.json adds the prefix of its request to these URLs. */
const server = { url: "/integrations/v1", description: "This server." };
const adminServer = { url: "/integrations", description: "This server, for admins." };

function tagsOf(all: readonly Endpoint[]): Json[] {
  const tags = new Map(all.map(({ tag }) => [tag.name, tag]));
  return [...tags.values()];
}

function sortedByKey(values: Json): Json {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function errorExamples(): Promise<Json> {
  const examples = [...(await recordErrors())].map(([name, { status, body, text }]) => {
    const { error } = body as { error: { code: string } };
    if (`${status} ${error.code}` !== name) throw new Error(`The request for ${name} returned ${status} ${text}`);
    return [exampleName(name), { value: body }];
  });
  return Object.fromEntries(examples);
}
