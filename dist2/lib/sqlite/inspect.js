import { faultsIn } from "./copy.js";
import { openExisting } from "./file.js";
import { staleJson } from "./kept-json.js";
import { migrations, versionAfter } from "./migrations.js";
import { refusalOf } from "./refused.js";
import { schemaFaults, secretFaults } from "./schema-faults.js";
import { openView, versionOf } from "./view.js";
/**
 * Looks through a file, whoever uses it, and changes nothing. References are always looked at, indexes and the JSON
 * beside records with `full`.
 * @throws DatabaseRefused where it is no database of ours, or a newer one
 */
export function inspectDatabase({ file, full = false }) {
    const database = openView(file);
    try {
        const newest = database.prepare("SELECT max(last_at) FROM tenant_clocks").pluck().get();
        const versions = { found: versionOf(database), known: versionAfter(migrations) };
        const isCurrent = versions.found === versions.known;
        const faults = [...faultsIn(database, full), ...(isCurrent ? schemaFaults(database) : [])];
        if (isCurrent && faults.length === 0)
            faults.push(...secretFaults(database), ...(full ? staleJson(database) : []));
        return { ...versions, faults, newestAt: newest ?? undefined };
    }
    catch (error) {
        throw refusalOf(error, file);
    }
    finally {
        database.close();
    }
}
/** @throws DatabaseRefused where it is no database of ours, or a newer one */
export function schemaVersions({ file }) {
    const database = openView(file);
    const found = versionOf(database);
    database.close();
    return { found, known: versionAfter(migrations) };
}
/**
 * Brings a file to the schema of this version, as opening it to serve does: copied beside itself first, then all
 * steps in one transaction. Undefined where there was nothing to do. @throws DatabaseRefused
 */
export function migrateDatabase({ file }) {
    let done;
    schemaVersions({ file });
    openExisting(file, migrations, (migrated) => {
        done = migrated;
    }).close();
    return done;
}
