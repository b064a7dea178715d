import type { ActiveOpportunity, ContactOpportunities } from "../active-opportunity.ts";
import { sqliteDialect } from "./schema.ts";

/** The members of an opportunity in the JSON below, with the expressions that give them. */
const members: Readonly<Record<keyof ActiveOpportunity, string>> = {
  id: "o.id",
  name: "o.name",
  accountId: "o.account_id",
  accountName: "(SELECT name FROM accounts WHERE tenant_id = o.tenant_id AND id = o.account_id)",
  pipelineId: "o.pipeline_id",
  pipelineName: "(SELECT name FROM pipelines WHERE tenant_id = o.tenant_id AND id = o.pipeline_id)",
  stageId: "o.stage_id",
  stageName: "(SELECT name FROM stages WHERE tenant_id = o.tenant_id AND id = o.stage_id)",
  status: "o.status",
  amount: "o.amount",
  currency: "o.currency",
  ownerId: "o.owner_id",
  expectedCloseDate: "o.expected_close_date",
  updatedAt: "o.updated_at",
};

const { placeholder } = sqliteDialect;
const json = Object.entries(members)
  .map(([name, expression]) => `'${name}', ${expression}`)
  .join(", ");

/**
 * Selects the newest open opportunities of each contact. Parameters: limit per contact, normalized email addresses as
 * JSON, tenant.
 */
export const activeOpportunitiesSql = `
  SELECT c.email_key, c.id,
    (SELECT json_group_array(json(item)) FROM (
      SELECT json_object(${json}) AS item
      FROM opportunity_contacts l
      CROSS JOIN opportunities o ON o.tenant_id = l.tenant_id AND o.id = l.opportunity_id
      WHERE l.tenant_id = c.tenant_id AND l.contact_id = c.id AND l.archived = 0 AND o.status = 'open'
      ORDER BY l.updated_at DESC, l.opportunity_id DESC LIMIT ${placeholder}))
  FROM json_each(?) emails
  CROSS JOIN contacts c ON c.tenant_id = ${placeholder} AND c.email_key = emails.value AND c.archived_at IS NULL`;

export function toContactOpportunities([emailKey, contactId, json]: readonly unknown[]): ContactOpportunities {
  const opportunities = JSON.parse(String(json)) as ActiveOpportunity[];
  return { emailKey: String(emailKey), contactId: String(contactId), opportunities };
}
