import { models } from "../records/kinds.js";
import { byType } from "../records/model.js";
/** Every id that the given fields hold. */
export function referralsOf(model, values) {
    return Object.entries(model.fields).flatMap(([name, { reference }]) => {
        const value = values[name];
        if (reference === undefined || value === null || value === undefined)
            return [];
        if (reference === byType) {
            const related = value;
            return [{ path: `/${name}/id`, kind: related.type, id: related.id }];
        }
        const kind = reference;
        if (Array.isArray(value))
            return value.map((id, index) => ({ path: `/${name}/${index}`, kind, id }));
        return [{ path: `/${name}`, kind, id: value }];
    });
}
/**
 * What is wrong with these ids: no such record in the tenant (unknown, archived and foreign ones look the same), or
 * a user who is not active.
 */
export async function checkReferrals(storage, tenantId, referrals) {
    const found = await Promise.all(referrals.map(({ kind, id }) => storage.get(tenantId, kind, id)));
    return referrals.flatMap(({ path, kind }, index) => {
        const record = found[index];
        const word = kind === "user" ? "user" : models[kind].kind;
        if (record === undefined || record.archivedAt !== null) {
            const message = `${path.slice(1).replaceAll("/", ".")} names no ${word} of this tenant.`;
            return [{ kind: "invalid_reference", problem: { path, code: "not_found", message } }];
        }
        if (kind !== "user" || record.active)
            return [];
        const message = `${path.slice(1)} names a user who is not active; choose an active one (GET /users?active=true).`;
        return [{ kind: "invalid_reference", problem: { path, code: "inactive", message } }];
    });
}
