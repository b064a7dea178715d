import { registerHooks } from "node:module";

/** The modules of each folder of lib/storage/ that are replaced, and their replacements. */
const replacements: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sqlite: { "./schema": "newer-schema.ts", "./bundled-files": "newer-bundled-files.ts" },
  postgres: { "./migrations": "newer-postgres-migrations.ts" },
};

/**
 * Adds two invented migrations to the program if it is loaded first. Tests need them to migrate a database, because
 * only one schema has been released.
 */
registerHooks({
  resolve(specifier, context, next) {
    const [, folder = ""] = /\/lib\/storage\/(\w+)\/[\w-]+\.[jt]s$/.exec(context.parentURL ?? "") ?? [];
    const replacement = replacements[folder]?.[specifier.replace(/\.[jt]s$/, "")];
    if (replacement === undefined) return next(specifier, context);
    return { url: new URL(replacement, import.meta.url).href, shortCircuit: true };
  },
});
