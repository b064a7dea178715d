import { type Endpoint, endpoint } from "../endpoint.ts";
import { integration } from "../records/integration.ts";
import { user } from "../records/user.ts";
import { resource } from "../resource.ts";
import { newKeySchema } from "./api-key-view.ts";
import { generateApiKey, namedGeneration } from "./generate-api-key.ts";

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

/** A key and, where there is none of the name, its integration: both in one commit, or neither. */
const generateNamedApiKey = endpoint({
  name: "generateNamedApiKey",
  method: "POST",
  path: "/api-key/generate-named",
  summary: "Make an API key of the integration of a name",
  description: "",
  tag: { name: "API keys", description: "" },
  body: namedGeneration,
  success: { status: 201, data: newKeySchema },
  handle: generateApiKey,
});

/**
 * Operations that no path leads to: a host, or the program that runs the database, calls them to look after a
 * tenant's users and integrations. They ask for no scope.
 */
export const hostOnly: readonly Endpoint[] = [
  ...resource({ model: user, filters: {}, example: undescribed }),
  ...resource({ model: integration, filters: {}, example: undescribed }),
]
  .filter(({ name }) => offered.includes(name))
  .map(({ scope: _, ...endpoint }): Endpoint => endpoint)
  .concat(generateNamedApiKey);
