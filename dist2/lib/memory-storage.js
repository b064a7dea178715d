import { randomBytes } from "node:crypto";
import { foldEmail } from "./records/fold.js";
import { models } from "./records/kinds.js";
import { referralsOf } from "./rules/reference.js";
import * as seam from "./storage.js";
/**
 * A storage in plain maps, for tests: exact in everything but its speed, which falls with what is kept. Nothing
 * outlives it. It is also the model that other storages are held to.
 */
export function memoryStorage() {
    return new MemoryStorage();
}
/** Records by "tenant kind id". */
class MemoryStorage {
    #kept = new Map();
    #clocks = new Map();
    #secret = randomBytes(32);
    async get(tenant, kind, id) {
        return structuredClone(this.#open().get(`${tenant} ${kind} ${id}`));
    }
    async list(tenant, kind, query) {
        const found = ofKind(this.#open(), kind, tenant).map(([, record]) => record);
        const listed = found.filter((record) => answers(kind, record, query)).sort(order);
        return structuredClone(listed.slice(0, query.limit));
    }
    async commit(tenant, now, propose) {
        const draft = new Map(this.#open());
        const at = Math.max(now, (this.#clocks.get(tenant) ?? 0) + 1);
        const writes = propose(at);
        const last = seam.clockAfter(at, writes);
        for (const write of writes)
            apply(draft, tenant, structuredClone(write));
        this.#kept = draft;
        if (writes.length > 0)
            this.#clocks.set(tenant, last);
    }
    async apiKey(hash) {
        const kept = this.#open();
        const [name = "", key] = ofKind(kept, "apiKey").find(([, record]) => record.hash === hash) ?? [];
        const [tenantId = ""] = name.split(" ");
        const integration = kept.get(`${tenantId} integration ${key?.integrationId}`);
        const owners = [key, integration, kept.get(`${tenantId} tenant ${tenantId}`)];
        if (owners.some((each) => each?.archivedAt !== null))
            return undefined;
        return structuredClone({ ...key, tenantId, scopes: integration?.scopes });
    }
    async tenants() {
        const found = ofKind(this.#open(), "tenant").map(([, record]) => record);
        const listed = found.filter(({ archivedAt }) => archivedAt === null);
        return structuredClone(listed.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)));
    }
    async activeOpportunities(tenant, emailKeys, limit) {
        const kept = this.#open();
        const nameOf = (kind, id) => kept.get(`${tenant} ${kind} ${id}`)?.name ?? null;
        const contacts = await this.list(tenant, "contact", {});
        const wanted = contacts.filter(({ email }) => email !== null && emailKeys.includes(foldEmail(email)));
        return Promise.all(wanted.map(async ({ id: contactId, email }) => {
            const open = await this.list(tenant, "opportunity", { where: { contactId, status: "open" } });
            const shown = open
                .toReversed()
                .slice(0, limit)
                .map((each) => active(each, nameOf));
            return { emailKey: foldEmail(email ?? ""), contactId, opportunities: shown };
        }));
    }
    async secret() {
        return this.#open() && this.#secret;
    }
    async sweep(before) {
        const old = ofKind(this.#open(), "idempotencyRecord").filter(([, record]) => record.createdAt < before);
        return old.slice(0, 500).filter(([name]) => this.#kept?.delete(name)).length;
    }
    async close() {
        this.#kept = undefined;
    }
    #open() {
        if (this.#kept === undefined)
            throw new seam.StorageUnavailable("The storage is closed.");
        return this.#kept;
    }
}
function active(record, nameOf) {
    const { id, name, accountId, pipelineId, stageId, status, amount, currency, ownerId } = record;
    const [accountName, pipelineName] = [nameOf("account", accountId), nameOf("pipeline", pipelineId)];
    const names = { accountName, pipelineName, stageName: nameOf("stage", stageId) };
    const { expectedCloseDate, updatedAt } = record;
    const own = { id, name, accountId, pipelineId, stageId, status, amount, currency, ownerId };
    return { ...own, ...names, expectedCloseDate, updatedAt };
}
function apply(kept, tenant, write) {
    const { kind, record } = write;
    const own = `${tenant} ${kind} ${record.id}`;
    const was = kept.get(own)?.updatedAt;
    if (write.op === "update" && was !== write.was)
        throw new seam.WriteConflict("stale", kind, "id", record.id);
    for (const [field, { unique }] of Object.entries(models[kind].fields)) {
        const folded = (each) => each.archivedAt === null && unique?.(String(each[field] ?? ""));
        const others = ofKind(kept, kind, tenant).filter(([name, each]) => name !== own && folded(each));
        const other = others.find(([, each]) => folded(each) === folded(record));
        if (other !== undefined)
            throw new seam.WriteConflict("taken", kind, field, other[1].id);
    }
    if (write.op === "insert" && was !== undefined)
        throw new seam.WriteConflict("taken", kind, "id", record.id);
    const keys = kind === "apiKey" ? ofKind(kept, kind).filter(([name]) => name !== own) : [];
    const isTaken = keys.some(([, { hash }]) => hash === record.hash);
    if (isTaken)
        throw new seam.WriteConflict("taken", kind, "hash", record.id);
    kept.set(own, record);
    for (const { kind: other, id } of [...referralsOf(models[kind], record), { kind: "tenant", id: tenant }])
        if (!kept.has(`${tenant} ${other} ${id}`))
            throw new Error(`${kind} ${record.id}: there is no ${other} ${id}`);
}
function answers(kind, record, { where = {}, after, since = -Infinity, archived }) {
    if ((after && order(record, after) <= 0) || record.updatedAt < since)
        return false;
    const parts = { ...record, contactId: record.contactIds, relatedToId: record.relatedTo?.id };
    const isWanted = ([field, wanted]) => {
        const fold = models[kind].fields[field]?.unique ?? String;
        const values = [parts[field] ?? []].flat().map((each) => fold(String(each)));
        return values.includes(fold(String(wanted)));
    };
    return (record.archivedAt === null || archived === true) && Object.entries(where).every(isWanted);
}
function ofKind(kept, kind, tenant) {
    const names = (name) => name.split(" ");
    return [...kept].filter(([name]) => names(name)[1] === kind && (tenant ?? names(name)[0]) === names(name)[0]);
}
function order(a, b) {
    return a.updatedAt - b.updatedAt || Number(a.id > b.id) - Number(a.id < b.id);
}
