import type { Endpoint } from "../api/endpoint.ts";
import { resource } from "../api/resource.ts";
import { integration } from "../model/integration.ts";
import { user } from "../model/user.ts";

/** The operations that have no public endpoint. */
const exposed = [
  "createUser",
  "updateUser",
  "archiveUser",
  "listIntegrations",
  "createIntegration",
  "updateIntegration",
];

const noExample = { id: "", create: {}, update: {} };

/** Operations without a path, for the host and the program: they manage the users and integrations of a tenant. They need no scope. */
export const internalEndpoints: readonly Endpoint[] = [
  ...resource({ model: user, filters: {}, example: noExample }),
  ...resource({ model: integration, filters: {}, example: noExample }),
]
  .filter(({ name }) => exposed.includes(name))
  .map(({ scope: _, ...endpoint }): Endpoint => endpoint);
