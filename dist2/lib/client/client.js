import { collection, dataOf } from "./collection.js";
import { transport } from "./transport.js";
export function createClient(options) {
    const send = transport(options);
    const data = async (path, query = {}, { signal } = {}) => {
        const sent = { query: query, ...(signal === undefined ? {} : { signal }) };
        return dataOf((await send("GET", path, sent)).body);
    };
    const me = (call) => data("/me", {}, call);
    let tenantId;
    return {
        accounts: collection(send, "/accounts"),
        contacts: {
            ...collection(send, "/contacts"),
            async activeOpportunities(emails, call) {
                tenantId ??= (await me(call)).tenantId;
                const sent = { ...call, body: { tenantId, emails }, readsOnly: true };
                return dataOf((await send("POST", "/contacts/opportunities/active", sent)).body);
            },
        },
        opportunities: collection(send, "/opportunities"),
        tasks: collection(send, "/tasks"),
        pipelines: {
            list: (call) => data("/pipelines", {}, call),
            get: (id, call) => data(`/pipelines/${encodeURIComponent(id)}`, {}, call),
        },
        users: {
            list: ({ signal, idempotencyKey: _, ...query } = {}) => data("/users", query, signal ? { signal } : {}),
            get: (id, call) => data(`/users/${encodeURIComponent(id)}`, {}, call),
        },
        customFields: { list: (entity, call) => data("/custom-fields", { entity }, call) },
        grants: { resolve: (grantId, call) => data("/grants/resolve", { grantId }, call) },
        me,
    };
}
