import type { ActiveOpportunity, ContactOpportunities } from "../active-opportunity.ts";

const selectName = (table: string, id: string): string =>
  `(SELECT name FROM ${table} WHERE tenant_id = o.tenant_id AND id = o.${id})`;

/** SQL expressions of the members of an opportunity. */
const members: Readonly<Record<keyof ActiveOpportunity, string>> = {
  id: "o.id",
  name: "o.name",
  accountId: "o.account_id",
  accountName: selectName("accounts", "account_id"),
  pipelineId: "o.pipeline_id",
  pipelineName: selectName("pipelines", "pipeline_id"),
  stageId: "o.stage_id",
  stageName: selectName("stages", "stage_id"),
  status: "o.status",
  amount: "o.amount",
  currency: "o.currency",
  ownerId: "o.owner_id",
  expectedCloseDate: "o.expected_close_date",
  updatedAt: "o.updated_at",
};

const json = Object.entries(members)
  .map(([name, expression]) => `'${name}', ${expression}`)
  .join(", ");

/**
 * Selects the active opportunities of contacts by email address. The values are the tenant ID, the normalized
 * addresses, and the maximum number of opportunities per contact.
 */
export const activeOpportunitiesSql = `
  SELECT c.email_key AS "emailKey", c.id AS "contactId", coalesce(found.list, '[]') AS opportunities
  FROM contacts c
  LEFT JOIN LATERAL (
    SELECT json_agg(item)::text AS list FROM (
      SELECT json_build_object(${json}) AS item
      FROM opportunity_contacts l
      JOIN opportunities o ON o.tenant_id = l.tenant_id AND o.id = l.opportunity_id
      WHERE l.tenant_id = c.tenant_id AND l.contact_id = c.id AND l.archived = 0 AND o.status = 'open'
      ORDER BY l.updated_at DESC, l.opportunity_id DESC LIMIT $3) newest
  ) found ON true
  WHERE c.tenant_id = $1 AND c.email_key = ANY ($2::text[]) AND c.archived_at IS NULL`;

/** Converts a row of `activeOpportunitiesSql`. */
export function toContactOpportunities(row: Readonly<Record<string, unknown>>): ContactOpportunities {
  const opportunities = JSON.parse(String(row.opportunities)) as ActiveOpportunity[];
  return { emailKey: String(row.emailKey), contactId: String(row.contactId), opportunities };
}
