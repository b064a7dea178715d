import { resource } from "../api/resource.ts";
import { note } from "../model/note.ts";
import { describe, nonEmptyText, uuid } from "../model/scalars.ts";
import { externalIdsFilter, idsFilter } from "./filters.ts";

/** The endpoints of notes. */
export const notes = resource<string | null>({
  model: note,
  filters: {
    ids: idsFilter,
    relatedToId: describe(uuid, "Only notes of the record with this ID, of any type."),
    authorId: uuid,
    externalId: nonEmptyText(255),
    externalIds: externalIdsFilter,
  },
  example: {
    id: "019980f4-0652-717a-bfbd-5a293a18bb42",
    create: {
      body: "Wants a second grinder for the summer.\nCall again in May.",
      relatedTo: { type: "contact", id: "01945eff-a5c0-732a-93b1-33d2195a9dee" },
      occurredAt: "2026-11-03T14:20:00+01:00",
    },
    update: { body: "Wants two grinders for the summer.\nCall again in May." },
  },
  async loadRelated(input, before, { tenantId, userId }, storage) {
    if (before !== undefined || input.authorId !== undefined || userId === null) return null;
    // A host can authenticate users that the tenant doesn't have.
    const user = await storage.get(tenantId, "user", userId);
    return user?.active === true && user.archivedAt === null ? userId : null;
  },
  deriveFields(after, before, _input, author, now) {
    if (before !== undefined) return after;
    return { ...after, authorId: after.authorId ?? author, occurredAt: after.occurredAt ?? now };
  },
});
