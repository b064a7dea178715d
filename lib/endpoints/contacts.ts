import { resource } from "../api/resource.ts";
import { contact } from "../model/contact.ts";
import { describe, nonEmptyText, queryEmail, uuid } from "../model/scalars.ts";
import { emailsFilter, externalIdsFilter, idsFilter, phoneFilter, wordsFilter } from "./filters.ts";

const address = describe(
  queryEmail,
  "Only the contact with this email address. Case and zero-width characters are ignored.",
);

/** The endpoints of contacts. */
export const contacts = resource({
  model: contact,
  filters: {
    ids: idsFilter,
    q: wordsFilter,
    email: address,
    emails: emailsFilter,
    accountId: uuid,
    ownerId: uuid,
    phone: phoneFilter,
    externalId: nonEmptyText(255),
    externalIds: externalIdsFilter,
  },
  example: {
    id: "01945eff-a5c0-732a-93b1-33d2195a9dee",
    create: {
      name: "Maja Lindqvist",
      email: "maja.lindqvist@lindqvist.example",
      phone: "+46 31 390 06 70",
      jobTitle: "Purchasing",
      externalId: "P-21044",
    },
    update: { phone: "+46 31 390 06 72", jobTitle: "Managing director" },
  },
});
