import { console } from "./console.ts";
import { words } from "./errors.ts";
import { events } from "./events.ts";
import { once } from "./exactly-once.ts";
import { mcp } from "./mcp.ts";
import type { Mutant } from "./mutant.ts";
import { apart } from "./permissions.ts";
import { postgres } from "./postgres.ts";
import { references } from "./references.ts";
import { search } from "./search.ts";
import { setUp } from "./set-up.ts";
import { sync } from "./sync.ts";
import { tenants } from "./tenants.ts";
import { transitions } from "./transitions.ts";
import { webhooks } from "./webhooks.ts";
import { writes } from "./writes.ts";

/** Each breaks one promise with one change, as a careless change would. */
export const mutants: readonly Mutant[] = [
  ...sync,
  ...events,
  ...once,
  ...tenants,
  ...references,
  ...apart,
  ...transitions,
  ...search,
  ...words,
  ...writes,
  ...postgres,
  ...setUp,
  ...console,
  ...mcp,
  ...webhooks,
];
