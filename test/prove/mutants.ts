import type { Mutant } from "./mutant.ts";
import { apart } from "./mutants-apart.ts";
import { console } from "./mutants-console.ts";
import { once } from "./mutants-once.ts";
import { postgres } from "./mutants-postgres.ts";
import { references } from "./mutants-references.ts";
import { search } from "./mutants-search.ts";
import { setUp } from "./mutants-set-up.ts";
import { sync } from "./mutants-sync.ts";
import { tenants } from "./mutants-tenants.ts";
import { transitions } from "./mutants-transitions.ts";
import { words } from "./mutants-words.ts";
import { writes } from "./mutants-writes.ts";

/** Each breaks one promise in one place, as a careless change would. */
export const mutants: readonly Mutant[] = [
  ...sync,
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
];
