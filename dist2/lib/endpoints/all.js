import { accounts } from "./accounts.js";
import { activeOpportunities } from "./active-opportunities.js";
import { apiKeys } from "./api-keys.js";
import { contacts } from "./contacts.js";
import { customFields } from "./custom-fields.js";
import { grants } from "./grants.js";
import { me } from "./me.js";
import { opportunities } from "./opportunities.js";
import { pipelines } from "./pipelines.js";
import { tasks } from "./tasks.js";
import { users } from "./users.js";
/** Every operation of the API. Routes, permissions, documentation and tests are made from this list. */
export const endpoints = [
    ...accounts,
    ...contacts,
    ...opportunities,
    ...tasks,
    ...pipelines,
    ...users,
    ...customFields,
    ...activeOpportunities,
    ...grants,
    ...me,
    ...apiKeys,
];
