import { ApiError, problemCodes, problemsError } from "./errors.js";
import { changesOf, fresh } from "./rules/change.js";
import { mergeCustomValues } from "./rules/custom-values.js";
import { checkReferrals, referralsOf } from "./rules/reference.js";
import { missingByRule, missingCustomFields } from "./rules/requirement.js";
/**
 * The values of a record as a POST would make it (no `before`) or a PATCH change it. All that has to be read is asked
 * at once: no question waits for the answer of another.
 * @throws ApiError with everything that references, custom fields, the tenant's rules and the resource's own find wrong
 */
export async function draft(resource, before, call, context) {
    const { model } = resource;
    const input = call.body;
    const { catalog, rules, owner, around, strange } = await known(resource, before, call, context);
    const custom = customOf(model, input, before, catalog);
    const sent = custom.values === undefined ? input : { ...input, customFields: custom.values };
    const changed = before === undefined ? undefined : changesOf(model, before, sent);
    const values = before === undefined ? { ...fresh(model, sent), ...owner } : { ...before, ...changed?.changes };
    const after = resource.complete?.(values, before, input, around) ?? values;
    const conflict = resource.conflictOf?.(after, before);
    const asked = conflict === undefined ? after : { ...after, ...stateOf(resource, before) };
    const found = [
        ...(changed?.findings ?? []),
        ...strange,
        ...custom.findings,
        ...(resource.check?.(asked, before, input, around) ?? []),
    ];
    const stageName = resource.stageName?.(asked, around);
    const missing = missingByRule(rules, asked, before, { catalog, stageName });
    const ofHost = await foundByHost(model.kind, asked, before, call, context);
    const findings = [...found, ...untold(missing, found), ...ofHost];
    if (findings.length > 0)
        throw problemsError(findings);
    if (owner === undefined)
        throw withoutAdmin();
    if (conflict !== undefined)
        throw conflict;
    return after;
}
function stateOf({ state = [] }, before) {
    return before === undefined ? {} : Object.fromEntries(state.map((name) => [name, before[name]]));
}
/** What of the tenant a draft depends on: its catalogue and rules, who owns what names no owner, which ids are strange. */
async function known({ model, around }, before, { caller: { tenantId }, body }, { storage }) {
    const input = body;
    const where = { entity: model.kind };
    // What the record refers to already it keeps, and an id that is sent again is of that sort.
    const kept = before === undefined ? [] : referralsOf(model, before).map(({ kind, id }) => kind + id);
    const referrals = referralsOf(model, input).filter(({ kind, id }) => !kept.includes(kind + id));
    const asked = [
        model.fields.customFields === undefined ? [] : storage.list(tenantId, "customField", { where }),
        storage.list(tenantId, "rule", { where }),
        before === undefined ? ownerOf(model, input, tenantId, storage) : {},
        around?.(input, before, tenantId, storage),
        checkReferrals(storage, tenantId, referrals),
    ];
    const [catalog, rules, owner, surroundings, strange] = await Promise.all(asked);
    return { catalog, rules, owner, around: surroundings, strange };
}
/** What the host's rules say. They get copies: what is kept is what was checked. */
async function foundByHost(kind, after, before, { caller }, { rules }) {
    const asked = (rules[kind] ?? []);
    const problems = asked.map(async (rule) => rule(structuredClone(after), structuredClone(before), caller));
    const found = (await Promise.all(problems)).flatMap((each) => each ?? []);
    const strange = found.find((problem) => !isProblem(problem));
    if (strange === undefined)
        return found.map((problem) => ({ kind: "rule", problem }));
    throw new TypeError(`A rule for ${kind} answered ${JSON.stringify(strange)}, not { path, code, message }`);
}
/** A host that is not written in TypeScript may answer anything; what goes out is what the description says. */
function isProblem(problem) {
    const { path, code, message } = Object(problem);
    return typeof path === "string" && typeof message === "string" && problemCodes.includes(code);
}
/** The custom fields after the merge, for kinds that have them, and whether anything is wrong with them. */
function customOf(model, input, before, catalog) {
    if (model.fields.customFields === undefined)
        return { findings: [] };
    const sent = (input.customFields ?? {});
    const stored = (before?.customFields ?? {});
    const merged = mergeCustomValues(catalog, sent, stored);
    if (before !== undefined)
        return merged;
    const missing = missingCustomFields(catalog, { customFields: merged.values });
    return { ...merged, findings: [...merged.findings, ...untold(missing, merged.findings)] };
}
/** A field that was sent and is wrong, or has a wrong entry, is not told to be missing too. */
function untold(missing, told) {
    const paths = told.map(({ problem }) => `${problem.path}/`);
    return missing.filter(({ problem }) => !paths.some((path) => path.startsWith(`${problem.path}/`)));
}
/** An owner who is not named is the tenant's oldest active admin; undefined where there is none. */
async function ownerOf(model, sent, tenantId, storage) {
    if (model.fields.ownerId === undefined || sent.ownerId !== undefined)
        return {};
    const users = await storage.list(tenantId, "user", { where: { role: "admin", active: true } });
    const oldest = users.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))[0];
    return oldest === undefined ? undefined : { ownerId: oldest.id };
}
function withoutAdmin() {
    const message = "An owner is needed, and the tenant has no active administrator to be it. Send ownerId.";
    return new ApiError("tenant_without_admin", message);
}
