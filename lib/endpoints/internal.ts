import type { Endpoint } from "../endpoint.ts";
import { integration } from "../records/integration.ts";
import { user } from "../records/user.ts";
import { resource } from "../resource.ts";

/** Their reading stands in the list of endpoints, or has a shape of its own there. */
const offered = [
  "createUser",
  "updateUser",
  "archiveUser",
  "listIntegrations",
  "createIntegration",
  "updateIntegration",
];

/** Nothing of this is in the description of the API. */
const undescribed = { id: "", create: {}, update: {} };

/**
 * Operations that no path leads to: a host, or the program that runs the database, calls them to look after a
 * tenant's users and integrations. They ask for no scope.
 */
export const hostOnly: readonly Endpoint[] = [
  ...resource({ model: user, filters: {}, example: undescribed }),
  ...resource({ model: integration, filters: {}, example: undescribed }),
]
  .filter(({ name }) => offered.includes(name))
  .map(({ scope: _, ...endpoint }): Endpoint => endpoint);
