import { filledText, uuid } from "../input/scalars.ts";
import { account } from "../records/account.ts";
import { resource } from "../resource.ts";

/** Accounts: unique by folded name among the not archived, which the storage's constraint sees to. */
export const accounts = resource({
  model: account,
  filters: { name: filledText(255), ownerId: uuid, externalId: filledText(255) },
});
