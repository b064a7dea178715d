import { endpoints } from "../../lib/endpoints/index.ts";
import type { Endpoint } from "../../lib/index.ts";
import { Components } from "./components.ts";
import { errorSchemas } from "./error-schemas.ts";
import { commonErrors, statusOf } from "./errors.ts";
import { headers } from "./headers.ts";
import { about, parameters, securitySchemes } from "./info.ts";
import { errorResponse, exampleName, operation } from "./operation.ts";
import { type Recorded, recordErrors, recordSuccesses } from "./recording.ts";

type Json = Readonly<Record<string, unknown>>;

/** The description of the whole API in OpenAPI 3.1, from the endpoint list and from what the real API answers. */
export async function openApiDocument(): Promise<Json> {
  const components = new Components();
  const paths: Record<string, Record<string, unknown>> = {};
  const recorded = await recordSuccesses(endpoints);
  // What goes out is named first: where what comes in differs, that is what gets another name.
  for (const { success } of endpoints) if (success.data !== undefined) components.of(success.data, "response");
  for (const endpoint of endpoints) {
    const each = recorded.get(endpoint) as Recorded;
    const { path, method, success } = endpoint;
    if (each.result.status !== success.status) throw new Error(`${endpoint.name}: ${each.result.text}`);
    const place = path.replace(/:(\w+)/g, "{$1}");
    paths[place] ??= endpoint.access === "admin" ? { servers: [adminServer] } : {};
    const sameTag = [...recorded].filter(([{ tag }]) => tag.name === endpoint.tag.name).map(([, other]) => other);
    paths[place][method.toLowerCase()] = operation(endpoint, components, each, sameTag);
  }
  const document = {
    openapi: "3.1.0",
    info: about,
    servers: [server],
    tags: tagsOf(endpoints),
    paths,
    components: {
      securitySchemes,
      parameters,
      headers,
      responses: Object.fromEntries(
        Object.entries(commonErrors).map(([key, name]) => [key, errorResponse(statusOf(name), [name])]),
      ),
      schemas: inOrder({ ...components.schemas, ...errorSchemas }),
      examples: await errorExamples(),
    },
  };
  return JSON.parse(JSON.stringify(document));
}

/** Where the description is served, these get the prefix of the request before them. */
const server = { url: "/integrations/v1", description: "This server." };
const adminServer = { url: "/integrations", description: "This server, for administrators." };

function tagsOf(all: readonly Endpoint[]): Json[] {
  const tags = new Map(all.map(({ tag }) => [tag.name, tag]));
  return [...tags.values()];
}

function inOrder(values: Json): Json {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function errorExamples(): Promise<Json> {
  const recorded = await recordErrors();
  const shown = [...recorded].map(([name, { status, body, text }]) => {
    const { error } = body as { error: { code: string } };
    if (`${status} ${error.code}` !== name) throw new Error(`${name} was answered ${status} ${text}`);
    return [exampleName(name), { value: body }];
  });
  return Object.fromEntries(shown);
}
