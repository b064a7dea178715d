import { email, filledText, uuid } from "../input/scalars.ts";
import { contact } from "../records/contact.ts";
import { resource } from "../resource.ts";

/** Contacts: unique by e-mail among the not archived; many may have none. */
export const contacts = resource({
  model: contact,
  filters: { email, accountId: uuid, ownerId: uuid, externalId: filledText(255) },
});
