import { registerHooks } from "node:module";

/** The modules of each folder of lib/storage/ that are replaced, and their replacements. */
const replacements: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sqlite: { "./schema.ts": "newer-schema.ts", "./bundled-files.ts": "newer-bundled-files.ts" },
  postgres: { "./migrations.ts": "newer-postgres-migrations.ts" },
};

/**
 * Adds two invented migrations to the program if it is loaded first. Tests need them to migrate a database, because
 * only one schema has been released.
 */
registerHooks({
  resolve(specifier, context, next) {
    const folder = /\/lib\/storage\/(\w+)\/[\w-]+\.ts$/.exec(context.parentURL ?? "")?.[1] ?? "";
    const other = replacements[folder]?.[specifier];
    if (other === undefined) return next(specifier, context);
    return { url: new URL(other, import.meta.url).href, shortCircuit: true };
  },
});
