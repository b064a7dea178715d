import { timeText } from "./time.js";
export const byType = "type";
export function model(kind, plural, fields, about, words) {
    if (about === undefined || words === undefined)
        return { kind, plural, fields };
    return { kind, plural, fields, words: { about, fields: words } };
}
/** What is said of fields that several kinds have in the same way. */
export const commonWords = {
    ownerId: "The user who looks after it. Left out of a POST: the tenant's oldest active administrator. Null: nobody.",
    externalId: "What it is called in your own system. Not checked for uniqueness; lists can be filtered by it.",
    customFields: "The tenant's own fields, by the key that GET /custom-fields gives. A PATCH merges key by key; null removes a value.",
};
/** The record as its JSON shows it: hidden fields left out, times as text, `archivedAt` only where there is one. */
export function present(model, record) {
    const shown = { id: record.id };
    const values = record;
    for (const [name, field] of Object.entries(model.fields)) {
        if (field.hidden !== true)
            shown[name] = field.column === "instant" ? timeText(values[name]) : values[name];
    }
    shown.createdAt = timeText(record.createdAt);
    shown.updatedAt = timeText(record.updatedAt);
    if (record.archivedAt !== null)
        shown.archivedAt = timeText(record.archivedAt);
    return shown;
}
