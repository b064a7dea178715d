import type { Endpoint } from "../api/endpoint.ts";
import { importEndpoint } from "../api/import-endpoint.ts";
import { entityModels } from "../model/entities.ts";
import { accounts } from "./accounts.ts";
import { activeOpportunities } from "./active-opportunities.ts";
import { apiKeys } from "./api-keys.ts";
import { bodySchemas } from "./body-schemas.ts";
import { contacts } from "./contacts.ts";
import { counts } from "./counts.ts";
import { customFields } from "./custom-fields.ts";
import { events } from "./events.ts";
import { grants } from "./grants.ts";
import { impact } from "./impact.ts";
import { me } from "./me.ts";
import { notes } from "./notes.ts";
import { opportunities } from "./opportunities.ts";
import { pipelines } from "./pipelines.ts";
import { requests } from "./requests.ts";
import { search } from "./search.ts";
import { setUp } from "./set-up.ts";
import { system } from "./system.ts";
import { tasks } from "./tasks.ts";
import { tenantEndpoints } from "./tenant.ts";
import { transitions } from "./transitions.ts";
import { users } from "./users.ts";
import { webhooks } from "./webhooks.ts";

/** All endpoints of the API. Routes, permissions, documentation and tests are derived from this list. */
export const endpoints: readonly Endpoint[] = [
  ...accounts,
  ...contacts,
  ...opportunities,
  ...tasks,
  ...notes,
  ...search,
  ...counts,
  ...events,
  ...webhooks,
  ...transitions,
  ...pipelines,
  ...users,
  ...customFields,
  ...bodySchemas,
  ...activeOpportunities,
  ...grants,
  ...me,
  ...requests,
  ...apiKeys,
  ...setUp,
  impact,
  ...tenantEndpoints,
  ...system,
];

/** Batches of imports, for callers in the same process. They have no routes and no description. */
export const importEndpoints: readonly Endpoint[] = Object.values(entityModels).map((model) =>
  importEndpoint(model, endpoints),
);
