import * as v from "valibot";
import { endpoint } from "../api/endpoint.ts";
import { normalizeEmail } from "../model/normalize.ts";
import { opportunity } from "../model/opportunity.ts";
import { describe, email, jsonSchema, listOf, nonEmptyText, uuid } from "../model/scalars.ts";
import { visibleFieldSchemas } from "../model/schemas.ts";
import { formatDateTime } from "../model/time.ts";

const emailsMax = 100;
const perContactMax = 50;

const body = v.strictObject({
  tenantId: v.pipe(
    v.string("must be the id of the key's tenant, as a string"),
    jsonSchema({ format: "uuid", description: "The id of the key's tenant (GET /me shows it)." }),
  ),
  emails: describe(
    listOf(email, emailsMax, "must be a list of e-mail addresses"),
    "The addresses to look for; case does not count, repeats are dropped.",
  ),
});

const nameOf = (what: string) => describe(nonEmptyText(255), `What the ${what} is called.`);
const active = v.pipe(
  v.strictObject({
    ...visibleFieldSchemas(
      opportunity,
      "id",
      "name",
      "accountId",
      "pipelineId",
      "stageId",
      "amount",
      "currency",
      "ownerId",
    ),
    ...visibleFieldSchemas(opportunity, "expectedCloseDate", "updatedAt"),
    accountName: v.nullable(nameOf("account")),
    pipelineName: nameOf("pipeline"),
    stageName: nameOf("stage"),
    status: describe(v.picklist(["open"]), "Only open opportunities are active."),
  }),
  jsonSchema({ title: "ActiveOpportunity", description: "An open opportunity that is not archived." }),
);
const data = v.pipe(
  v.strictObject({
    email: describe(email, "The address as it was sent the first time."),
    contactId: describe(v.nullable(uuid), "The contact with this address. Null: nobody has it."),
    opportunities: v.pipe(
      v.array(active),
      jsonSchema({ maxItems: perContactMax, description: "The contact's open opportunities, the newest first." }),
    ),
  }),
  jsonSchema({ title: "ActiveContact", description: "One of the addresses that were sent, and what it is about." }),
);

/** Which open opportunities the people with these addresses take part in. It reads, but is a POST: addresses stay out of logs. */
export const activeOpportunities = [
  endpoint({
    name: "listActiveOpportunities",
    method: "POST",
    path: "/contacts/opportunities/active",
    summary: "The open opportunities of the contacts with these e-mail addresses",
    description:
      "One item per distinct address, in the order sent, also where nobody has it. It reads, and is a POST so that " +
      "addresses stay out of logs: leave the Idempotency-Key out, or the first answer is repeated for 24 hours.",
    tag: { name: "Opportunities", description: opportunity.descriptions?.about ?? "" },
    scope: "opportunities:read",
    body,
    success: { status: 200, data, collection: "list" },
    example: {
      body: {
        tenantId: "01943aa0-bc00-7f06-b989-aece882520fc",
        emails: ["asa.lindqvist@lindqvist.example", "nobody@lindqvist.example"],
      },
    },
    async handle({ caller, body: { emails } }, { storage }) {
      const asked = new Map(emails.toReversed().map((address) => [normalizeEmail(address), address] as const));
      const keys = [...new Set(emails.map(normalizeEmail))];
      const found = await storage.activeOpportunities(caller.tenantId, keys, perContactMax);
      const data = keys.map((key) => {
        const contact = found.find(({ emailKey }) => emailKey === key);
        const opportunities = contact?.opportunities.map((each) => ({
          ...each,
          updatedAt: formatDateTime(each.updatedAt),
        }));
        return { email: asked.get(key), contactId: contact?.contactId ?? null, opportunities: opportunities ?? [] };
      });
      return { status: 200, body: { data } };
    },
  }),
];
