import { account } from "./account.ts";
import { contact } from "./contact.ts";
import { note } from "./note.ts";
import { opportunity } from "./opportunity.ts";
import { task } from "./task.ts";

/** The models whose records clients create and update, each after the models that it refers to. */
export const entityModels = { account, contact, opportunity, task, note } as const;

/** A kind that clients create and update. Scopes, rules, host rules and tenant file lists are derived from it. */
export type Entity = keyof typeof entityModels;

export const entityKinds = Object.keys(entityModels) as Entity[];

/** All kinds in a sentence, such as "accounts, contacts and tasks". */
export const entityNames = entityKinds
  .map((kind) => entityModels[kind].plural)
  .join(", ")
  .replace(/, (\w+)$/, " and $1");
