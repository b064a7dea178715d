import type { Endpoint } from "../api/endpoint.ts";
import { resource } from "../api/resource.ts";
import { integration } from "../model/integration.ts";
import { user } from "../model/user.ts";

/** Their reading stands in the list of endpoints, or has a shape of its own there. */
const exposed = [
  "createUser",
  "updateUser",
  "archiveUser",
  "listIntegrations",
  "createIntegration",
  "updateIntegration",
];

/** Nothing of this is in the description of the API. */
const noExample = { id: "", create: {}, update: {} };

/**
 * Operations that no path leads to: a host, or the program that runs the database, calls them to look after a
 * tenant's users and integrations. They ask for no scope.
 */
export const internalEndpoints: readonly Endpoint[] = [
  ...resource({ model: user, filters: {}, example: noExample }),
  ...resource({ model: integration, filters: {}, example: noExample }),
]
  .filter(({ name }) => exposed.includes(name))
  .map(({ scope: _, ...endpoint }): Endpoint => endpoint);
