import { account } from "./account.ts";
import { contact } from "./contact.ts";
import { customField } from "./custom-field.ts";
import { apiKey, idempotencyRecord, integration } from "./integration.ts";
import type { RecordOf } from "./model.ts";
import { opportunity } from "./opportunity.ts";
import { pipeline, stage } from "./pipeline.ts";
import { task } from "./task.ts";
import { grant, rule, tenant } from "./tenant.ts";
import { user } from "./user.ts";

/** The models by kind. Each kind comes after the kinds that it refers to. */
export const models = {
  tenant,
  user,
  pipeline,
  stage,
  customField,
  rule,
  integration,
  apiKey,
  grant,
  account,
  contact,
  opportunity,
  task,
  idempotencyRecord,
} as const;

export type Kind = keyof typeof models;
export type Records = { readonly [K in Kind]: RecordOf<(typeof models)[K]> };
/** A record of any kind. */
export type AnyRecord = Records[Kind];
