import * as v from "valibot";
import { endpoint } from "../api/endpoint.ts";
import { formatDateTime } from "../model/date-time.ts";
import { normalizeEmail } from "../model/normalize.ts";
import { opportunity } from "../model/opportunity.ts";
import { describe, email, jsonSchema, listOf, nonEmptyText, uuid } from "../model/scalars.ts";
import { visibleFieldSchemas } from "../model/schemas.ts";

const maxEmails = 100;
const maxPerContact = 50;

const body = v.strictObject({
  tenantId: v.pipe(
    v.string("must be the ID of the tenant of the API key, as a string"),
    jsonSchema({ format: "uuid", description: "ID of the tenant of the API key (see `GET /me`)." }),
  ),
  emails: describe(
    listOf(v.string("must be a string"), maxEmails, "must be a list of email addresses"),
    "Email addresses to look up, compared as in `GET /contacts?email=`. Duplicates are removed. Other texts match no contact.",
  ),
});

const nameOf = (kind: string) => describe(nonEmptyText(255), `Name of the ${kind}.`);
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
  jsonSchema({ title: "ActiveOpportunity", description: "An open opportunity that isn't archived." }),
);
const data = v.pipe(
  v.strictObject({
    email: describe(v.string(), "The address as in the request."),
    contactId: describe(v.nullable(uuid), "ID of the matching contact. `null` if there is none."),
    opportunities: v.pipe(
      v.array(active),
      jsonSchema({ maxItems: maxPerContact, description: "Open opportunities of the contact, newest first." }),
    ),
    hasMore: describe(v.boolean(), "Whether the contact has more open opportunities than those in `opportunities`."),
  }),
  jsonSchema({
    title: "ActiveContact",
    description: "An address of the request, with the contact and its open opportunities.",
  }),
);

/**
 * The endpoint that lists open opportunities by email address. It is a POST, so that addresses don't appear in logs.
 */
export const activeOpportunities = [
  endpoint({
    name: "listActiveOpportunities",
    method: "POST",
    path: "/contacts/opportunities/active",
    summary: "List active opportunities by contact email",
    description:
      "Returns one item per distinct address, in request order, even if no contact matches. It is a POST so that " +
      "addresses don't appear in URLs and logs. Don't send an `Idempotency-Key`: a replay returns the stored response " +
      "for 24 hours.",
    tag: { name: "Opportunities", description: opportunity.descriptions?.about ?? "" },
    scope: "opportunities:read",
    body,
    success: { status: 200, data, collection: "list" },
    example: {
      body: {
        tenantId: "01943aa0-bc00-7f06-b989-aece882520fc",
        emails: ["asa.lindqvist@lindqvist.example", "unknown@lindqvist.example"],
      },
    },
    async handle({ caller, body: { emails } }, { storage }) {
      const entries = emails.map((text) => {
        const isEmail: boolean = v.is(email, text);
        return { text: text.trim(), isEmail, key: isEmail ? normalizeEmail(text) : text.trim().toLowerCase() };
      });
      const addresses = new Map(entries.toReversed().map(({ key, text }) => [key, text]));
      const keys = [...new Set(entries.map(({ key }) => key))];
      const emailKeys = new Set(entries.filter(({ isEmail }) => isEmail).map(({ key }) => key));
      const found = await storage.activeOpportunities(caller.tenantId, [...emailKeys], maxPerContact + 1);
      const data = keys.map((key) => {
        const contact = found.find(({ emailKey }) => emailKey === key);
        const all = contact?.opportunities ?? [];
        const opportunities = all.slice(0, maxPerContact).map((each) => {
          return { ...each, updatedAt: formatDateTime(each.updatedAt) };
        });
        const hasMore = all.length > maxPerContact;
        return { email: addresses.get(key), contactId: contact?.contactId ?? null, opportunities, hasMore };
      });
      return { status: 200, body: { data } };
    },
  }),
];
