/** The time at which these tests begin. */
export const base = Date.parse("2026-03-01T12:00:00.000Z");
/** Record number `index` of a tenant, whatever its kind. Number 0 is the tenant itself. */
export function idOf(tenant, index) {
    return `0195${String(tenant).padStart(4, "0")}-0000-7000-8000-${String(index).padStart(12, "0")}`;
}
export function stamped(id, at) {
    return { id, createdAt: at, updatedAt: at, archivedAt: null };
}
export function insert(kind, record) {
    return { op: "insert", kind, record };
}
/** The record with some fields changed, made from the version that `record` is. */
export function update(kind, record, changes) {
    return { op: "update", kind, record: { ...record, ...changes }, was: record.updatedAt };
}
/** Commits and answers the instant that the writes were made at. */
export async function put(storage, tenant, now, propose) {
    let last = Number.NaN;
    await storage.commit(tenant, now, (at) => {
        last = at;
        return propose(at);
    });
    return last;
}
export function newAccount(id, at, fields = {}) {
    const empty = { document: null, website: null, phone: null, email: null, description: null, address: null };
    const none = { ownerId: null, externalId: null, customFields: {} };
    return { ...empty, ...none, ...stamped(id, at), name: `Account ${id}`, ...fields };
}
export function newContact(id, at, fields = {}) {
    const none = { email: null, phone: null, jobTitle: null, accountId: null, ownerId: null, externalId: null };
    return { ...none, customFields: {}, ...stamped(id, at), name: `Contact ${id}`, ...fields };
}
export function newTask(id, at, fields = {}) {
    const none = { description: null, dueDate: null, relatedTo: null, assignedTo: null, closedAt: null };
    return { ...none, ...stamped(id, at), title: `Task ${id}`, priority: "low", status: "pending", ...fields };
}
export function newOpportunity(id, at, fields) {
    const none = { accountId: null, amount: null, currency: null, expectedCloseDate: null, ownerId: null };
    const times = { lostReason: null, closedAt: null, stageChangedAt: null, externalId: null };
    const rest = { status: "open", customFields: {}, name: `Opportunity ${id}` };
    return { ...none, ...times, ...rest, contactIds: [], ...stamped(id, at), ...fields };
}
export function newUser(id, at, fields = {}) {
    const rest = { name: `User ${id}`, email: `${id}@crm.test`, role: "member", active: true };
    return { ...rest, ...stamped(id, at), ...fields };
}
export function newAnswer(id, at, createdAt = at) {
    const rest = { integrationId: null, fingerprint: "f", status: 201, body: "{}", location: null };
    return { ...rest, ...stamped(id, at), createdAt };
}
/** Makes the tenant, and nothing in it. */
export async function found(storage, tenant, now = base) {
    const id = idOf(tenant, 0);
    await storage.commit(id, now, (at) => [insert("tenant", { name: `Tenant ${tenant}`, ...stamped(id, at) })]);
    return id;
}
