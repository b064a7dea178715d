import { resource } from "../api/resource.ts";
import { account } from "../model/account.ts";
import { describe, nonEmptyText, uuid } from "../model/scalars.ts";
import { externalIdsFilter, idsFilter, namesFilter, phoneFilter, wordsFilter } from "./filters.ts";

const name = describe(
  nonEmptyText(255),
  "Only the account with this name. Case and repeated whitespace are ignored; accents are significant.",
);

/** The endpoints of accounts. */
export const accounts = resource({
  model: account,
  filters: {
    ids: idsFilter,
    q: wordsFilter,
    name,
    names: namesFilter,
    ownerId: uuid,
    phone: phoneFilter,
    externalId: nonEmptyText(255),
    externalIds: externalIdsFilter,
  },
  example: {
    id: "01945eff-a5c0-7ce2-b439-160e7d883d6c",
    create: {
      name: "Nordlys Roasters AS",
      website: "https://nordlys.example",
      address: { street: "Storgata 5", city: "Tromsø", postalCode: "9008", country: "Norway" },
      externalId: "ERP-10412",
    },
    update: { phone: "+47 55 01 23 45", customFields: { sites: 3, deliveryNotes: null } },
  },
});
