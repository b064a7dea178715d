import { registerHooks } from "node:module";

/** The modules of lib/storage/sqlite/ that are replaced, and their replacements. */
const replacements: Readonly<Record<string, string>> = {
  "/schema.ts": "newer-schema.ts",
  "/bundled-files.ts": "newer-bundled-files.ts",
};

/**
 * Adds two invented migrations to the program if it is loaded first. Tests need them to migrate a database, because
 * only one schema has been released.
 */
registerHooks({
  resolve(specifier, context, next) {
    const name = Object.keys(replacements).find((each) => specifier.endsWith(each));
    const other = name === undefined ? undefined : replacements[name];
    if (other === undefined || context.parentURL?.includes("/lib/storage/sqlite/") !== true)
      return next(specifier, context);
    return { url: new URL(other, import.meta.url).href, shortCircuit: true };
  },
});
