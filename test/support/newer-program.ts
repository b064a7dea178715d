import { registerHooks } from "node:module";

/** The modules of lib/storage/sqlite/ that are replaced, and by what. */
const replacements: Readonly<Record<string, string>> = {
  "/schema.ts": "newer-schema.ts",
  "/bundled-files.ts": "newer-bundled-files.ts",
};

/**
 * Loaded before the program, makes it one that knows two more migrations (those of the harness): what it does with an
 * older database is seen from outside, though no second schema has been released.
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
