import * as v from "valibot";
import { endpoint } from "../endpoint.ts";
import { email, listOf } from "../input/scalars.ts";
import { foldEmail } from "../records/fold.ts";
import { timeText } from "../records/model.ts";

const emailsMax = 100;
const perContactMax = 50;

const body = v.strictObject({
  tenantId: v.string("must be the id of the key's tenant, as a string"),
  emails: listOf(email, emailsMax, "must be a list of e-mail addresses"),
});

/** Which open opportunities the people with these addresses take part in. It reads, but is a POST: addresses stay out of logs. */
export const activeOpportunities = [
  endpoint({
    name: "listActiveOpportunities",
    method: "POST",
    path: "/contacts/opportunities/active",
    summary: "The open opportunities of the contacts with these e-mail addresses",
    scope: "opportunities:read",
    body,
    async handle({ caller, body: { emails } }, { storage }) {
      const asked = new Map(emails.toReversed().map((address) => [foldEmail(address), address] as const));
      const keys = [...new Set(emails.map(foldEmail))];
      const found = await storage.activeOpportunities(caller.tenantId, keys, perContactMax);
      const data = keys.map((key) => {
        const contact = found.find(({ emailKey }) => emailKey === key);
        const opportunities = contact?.opportunities.map((each) => ({ ...each, updatedAt: timeText(each.updatedAt) }));
        return { email: asked.get(key), contactId: contact?.contactId ?? null, opportunities: opportunities ?? [] };
      });
      return { status: 200, body: { data } };
    },
  }),
];
