import { constants } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { makeApiKey } from "../auth/api-key.js";
import { scopes } from "../records/integration.js";
import { loadTenantFile, parseTenantFile, TenantFileRefused } from "../tenant-file/index.js";
import { shippedTenantFile } from "./shipped.js";
/** The longest text that there can be in one piece. */
const sizeMax = constants.MAX_STRING_LENGTH;
/** Names that stand for several of the files that come along. */
const sets = { "two-tenants": ["minimal", "second"] };
/** The tenant files that a name ("demo") or path stands for. @throws TenantFileRefused */
export function readTenantFiles(name) {
    const names = Object.hasOwn(sets, name) ? (sets[name] ?? []) : [name];
    return names.map((each) => ({ name: each, content: readTenantFile(each) }));
}
/** Loads them one after the other. @throws TenantFileRefused whose message begins with the name of the file */
export async function loadTenantFiles(storage, files, tools) {
    const loaded = [];
    for (const { name, content } of files) {
        const tenant = await loadTenantFile(storage, content, tools).catch((error) => {
            if (!(error instanceof TenantFileRefused))
                throw error;
            throw new TenantFileRefused(`${name}: ${error.message}`, error.findings);
        });
        loaded.push(tenant);
    }
    return loaded;
}
/** The file with an integration that may do everything, where it has none: a tenant that nobody can call is no use. */
export function withKey({ name, content }, { random }) {
    if (typeof content !== "object" || content === null || Array.isArray(content))
        return { name, content };
    const { integrations = [] } = content;
    if (!Array.isArray(integrations) || integrations.length > 0)
        return { name, content };
    const made = { name: "Tests", scopes, keys: [{ key: makeApiKey("test", random) }] };
    return { name, content: { ...content, integrations: [made] } };
}
/** What these bytes say. @throws TenantFileRefused whose message begins with the name */
export function namedTenantFile(name, bytes) {
    if (bytes.length > sizeMax)
        throw tooLarge(name);
    return { name, content: parsed(name, bytes) };
}
function readTenantFile(name) {
    return parsed(name, shippedTenantFile(name) ?? readFile(name));
}
function parsed(name, bytes) {
    try {
        return parseTenantFile(bytes);
    }
    catch (error) {
        throw error instanceof TenantFileRefused ? new TenantFileRefused(`${name}: ${error.message}`) : error;
    }
}
function readFile(path) {
    try {
        if (statSync(path).size <= sizeMax)
            return readFileSync(path);
        throw tooLarge(path);
    }
    catch (error) {
        if (error instanceof TenantFileRefused)
            throw error;
        throw new TenantFileRefused(`The tenant file ${path} cannot be read: ${error.code}.`);
    }
}
function tooLarge(name) {
    const way = "A database of any size is moved by backup and restore.";
    return new TenantFileRefused(`${name} is larger than ${sizeMax} bytes, the most that a tenant file may have. ${way}`);
}
