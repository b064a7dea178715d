import { consoleAccess } from "./console-access.ts";
import { customField } from "./custom-field.ts";
import { entityModels } from "./entities.ts";
import { event } from "./event.ts";
import { apiKey, idempotencyRecord, integration } from "./integration.ts";
import type { RecordOf } from "./model.ts";
import { pipeline, stage } from "./pipeline.ts";
import { grant, rule, tenant } from "./tenant.ts";
import { user } from "./user.ts";
import { webhook, webhookState } from "./webhook.ts";

/** All models, each after the models that it refers to. */
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
  webhook,
  ...entityModels,
  idempotencyRecord,
  event,
  webhookState,
  consoleAccess,
} as const;

export type Kind = keyof typeof models;
export type Records = { readonly [K in Kind]: RecordOf<(typeof models)[K]> };
/** A record of any kind. */
export type AnyRecord = Records[Kind];
