import type { Endpoint } from "../api/endpoint.ts";
import { endpoints } from "../endpoints/index.ts";
import { entityModels } from "../model/entities.ts";
import { jsonSchemaOf } from "../model/json-schema.ts";

/** Returns the endpoint with a name. @throws TypeError if there is none */
export function endpointNamed(name: string): Endpoint {
  const found = endpoints.find((each) => each.name === name);
  if (found === undefined) throw new TypeError(`Unknown endpoint ${name}.`);
  return found;
}

/** Returns some sentences of the description of an endpoint. */
export function sentencesOf(name: string, start: number, end?: number): string {
  return endpointNamed(name)
    .description.split(/(?<=\.) /)
    .slice(start, end)
    .join(" ");
}

/** Returns the first sentence of the description of a query parameter. */
export function parameterText(name: string, parameter: string): string {
  const schema = endpointNamed(name).query[parameter];
  if (schema === undefined) throw new TypeError(`${name} has no parameter ${parameter}.`);
  return (jsonSchemaOf(schema, "request").description ?? "").split(/(?<=\.) /)[0] as string;
}

/** Parameters of lists that aren't filters of one entity. */
const notFilters = [
  ...["limit", "cursor", "order", "q", "updatedSince", "includeArchived", "count"],
  ...["ids", "names", "emails", "externalIds"],
];

/** Returns the filters of the list of each entity, such as `task: status, assignedTo`. */
export function filterText(entities: readonly (keyof typeof entityModels)[]): string {
  const lists = entities.map((entity) => {
    const list = endpoints.find(({ method, path }) => method === "GET" && path === `/${entityModels[entity].plural}`);
    const names = Object.keys(list?.query ?? {}).filter((name) => !notFilters.includes(name));
    return `${entity}: ${names.join(", ")}`;
  });
  return `Exact values by name. All: includeArchived; ${lists.join("; ")}.`;
}
