import { check } from "../input/check.js";
import { JsonFault, parseJsonObject } from "../input/json.js";
import { mergeCustomValues } from "../rules/custom-values.js";
import { WriteConflict } from "../storage.js";
import { entriesOf } from "./entries.js";
import { tenantFileSchema } from "./format.js";
import { catalogsOf, faultsOf } from "./validate.js";
/** A tenant file that was not loaded. Nothing of it was kept; `findings` names every fault with its path. */
export class TenantFileRefused extends Error {
    findings;
    constructor(message, findings = []) {
        super(message);
        this.name = "TenantFileRefused";
        this.findings = findings;
    }
}
/**
 * Validates a parsed tenant file whole and loads it in one commit. Its records keep the times that the file gives,
 * so that a sync can go on where it was. A tenant that is in the storage already is left as it is.
 * @throws TenantFileRefused
 */
export async function loadTenantFile(storage, file, tools) {
    const entries = entriesIn(file, tools);
    const tenant = entries[0];
    if ((await storage.get(tenant.id, "tenant", tenant.id)) !== undefined)
        return loadedOf(storage, tenant, entries, false);
    const inUse = await keysInUse(storage, entries);
    if (inUse.length > 0)
        throw refused(inUse);
    const catalogs = catalogsOf(entries);
    try {
        await storage.commit(tenant.id, tools.clock.now(), (at) => entries.map((entry) => writeOf(entry, catalogs, at)));
    }
    catch (error) {
        if (!(error instanceof WriteConflict))
            throw error;
        if (error.kind === "tenant")
            return loadedOf(storage, tenant, entries, false);
        throw refused([...(await keysInUse(storage, entries))]);
    }
    return loadedOf(storage, tenant, entries, true);
}
/**
 * Does what `loadTenantFile` would do but for writing. Without a storage the file alone is looked at.
 * @throws TenantFileRefused with everything that is wrong
 */
export async function checkTenantFile(storage, file, tools) {
    const entries = entriesIn(file, tools);
    const { id: tenantId, values } = entries[0];
    const isThere = (await storage?.get(tenantId, "tenant", tenantId)) !== undefined;
    const inUse = storage === undefined || isThere ? [] : await keysInUse(storage, entries);
    if (inUse.length > 0)
        throw refused(inUse);
    return { isThere, tenantId, name: String(values.name), records: entries.length };
}
/** The records of a file in which nothing is wrong. @throws TenantFileRefused */
function entriesIn(file, { clock, newId }) {
    const checked = check(tenantFileSchema, file, "");
    if ("findings" in checked)
        throw refused(checked.findings);
    const entries = entriesOf(checked.value, newId);
    const faults = faultsOf(entries, clock.now());
    if (faults.length > 0)
        throw refused(faults);
    return entries;
}
/** A tenant file comes from the operator, and its lists are as long as the tenant is large. */
const noLimits = { maxMembers: Number.POSITIVE_INFINITY, maxTotalMembers: Number.POSITIVE_INFINITY };
/** The content of a tenant file's bytes. @throws TenantFileRefused where they are not JSON */
export function parseTenantFile(bytes) {
    try {
        return parseJsonObject(bytes, noLimits);
    }
    catch (error) {
        throw error instanceof JsonFault ? new TenantFileRefused(error.message.replace("The body", "The file")) : error;
    }
}
function writeOf({ kind, id, values, times, isExported }, catalogs, at) {
    const updatedAt = times.updatedAt ?? Math.max(at, times.createdAt ?? 0, times.archivedAt ?? 0);
    const stamps = { createdAt: times.createdAt ?? updatedAt, updatedAt, archivedAt: times.archivedAt ?? null };
    const sent = values.customFields;
    const custom = sent && !isExported && { customFields: mergeCustomValues(catalogs.get(kind) ?? [], sent, {}).values };
    const record = { id, ...values, ...custom, ...closing(kind, values, stamps), ...stamps };
    return { op: "insert", kind, record: record };
}
/** The times of a change of state that the file left out. */
function closing(kind, values, { createdAt, updatedAt }) {
    const { status, closedAt, stageChangedAt } = values;
    const closed = status === "pending" || status === "open" ? null : (closedAt ?? updatedAt);
    if (kind === "task")
        return { closedAt: closed };
    return kind === "opportunity" ? { closedAt: closed, stageChangedAt: stageChangedAt ?? createdAt } : {};
}
async function keysInUse(storage, entries) {
    const keys = entries.filter(({ kind }) => kind === "apiKey");
    const found = await Promise.all(keys.map(({ values }) => storage.apiKey(String(values.hash))));
    const message = "This key is in use in the database already.";
    return keys.flatMap(({ path }, index) => {
        return found[index] === undefined
            ? []
            : [{ kind: "rule", problem: { path: `${path}/key`, code: "not_an_option", message } }];
    });
}
/** Whether a key works is for the storage to say: it may have been revoked since the file was written. */
async function loadedOf(storage, tenant, entries, created) {
    const integrations = new Map(entries.filter(({ kind }) => kind === "integration").map((each) => [each.id, each.values]));
    const keys = [];
    for (const { key, values } of entries) {
        const integration = integrations.get(String(values.integrationId));
        if (key === undefined || integration === undefined)
            continue;
        const { name, scopes } = integration;
        const kept = await storage.apiKey(String(values.hash));
        const revoked = kept === undefined || kept.revokedAt !== null;
        keys.push({ tenant: tenant.id, integration: name, key, scopes, revoked });
    }
    return { created, tenantId: tenant.id, name: String(tenant.values.name), keys };
}
function refused(findings) {
    const lines = findings.slice(0, 20).map(({ problem }) => `  ${problem.path || "/"}: ${problem.message}`);
    const more = findings.length > lines.length ? [`  and ${findings.length - lines.length} more`] : [];
    const count = findings.length === 1 ? "1 fault" : `${findings.length} faults`;
    return new TenantFileRefused([`The tenant file has ${count}; nothing was loaded:`, ...lines, ...more].join("\n"), findings);
}
