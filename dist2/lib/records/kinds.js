import { account } from "./account.js";
import { contact } from "./contact.js";
import { customField } from "./custom-field.js";
import { apiKey, idempotencyRecord, integration } from "./integration.js";
import { opportunity } from "./opportunity.js";
import { pipeline, stage } from "./pipeline.js";
import { task } from "./task.js";
import { grant, rule, tenant } from "./tenant.js";
import { user } from "./user.js";
/** Every kind of record, each after the kinds that it refers to. */
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
};
