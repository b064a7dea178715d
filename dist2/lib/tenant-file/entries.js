import { hashOf, maskOf } from "../auth/api-key.js";
import { pointer } from "../input/check.js";
import { models } from "../records/kinds.js";
import { fresh } from "../rules/change.js";
/** The lists of a file whose entries are records just as they stand, and their kinds. */
const plainLists = [
    ["users", "user"],
    ["customFields", "customField"],
    ["rules", "rule"],
    ["grants", "grant"],
    ["accounts", "account"],
    ["contacts", "contact"],
    ["opportunities", "opportunity"],
    ["tasks", "task"],
];
/** All records of a file whose shape is right, each with an id, those that others refer to first. */
export function entriesOf(file, newId) {
    const isExported = file.exported === true;
    const make = (kind, path, listed, more = {}) => {
        const { id = newId(), createdAt, updatedAt, archivedAt, ...values } = { ...listed, ...more };
        const times = Object.entries({ createdAt, updatedAt, archivedAt }).filter(([, at]) => at !== undefined);
        const made = { kind, path: pointer(path), id, values: fresh(models[kind], values), isExported };
        return { ...made, times: Object.fromEntries(times) };
    };
    const entries = [make("tenant", ["tenant"], file.tenant)];
    for (const [name, kind] of plainLists) {
        for (const [index, listed] of listOf(file, name).entries()) {
            const position = kind === "customField" ? { position: listed.position ?? index } : {};
            entries.push(make(kind, [name, index], listed, position));
        }
    }
    for (const [index, { stages, ...listed }] of listOf(file, "pipelines").entries()) {
        const pipeline = make("pipeline", ["pipelines", index], listed);
        entries.push(pipeline);
        for (const [at, stage] of stages.entries()) {
            entries.push(make("stage", ["pipelines", index, "stages", at], stage, { pipelineId: pipeline.id }));
        }
    }
    for (const [index, { keys, ...listed }] of listOf(file, "integrations").entries()) {
        const integration = make("integration", ["integrations", index], listed);
        entries.push(integration);
        for (const [at, { key, ...listedKey }] of keys.entries()) {
            const clear = key === undefined ? {} : { hash: hashOf(key), maskedKey: maskOf(key) };
            const place = ["integrations", index, "keys", at];
            const made = make("apiKey", place, listedKey, { ...clear, integrationId: integration.id });
            entries.push(key === undefined ? made : { ...made, key });
        }
    }
    const order = Object.keys(models);
    return entries.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}
function listOf(file, name) {
    return file[name];
}
