import { registerHooks } from "node:module";

/**
 * Loaded before the program, makes it one that knows two more migrations (those of the harness): what it does with an
 * older database is seen from outside, though no second schema has been released.
 */
registerHooks({
  resolve(specifier, context, next) {
    const isWanted = specifier.endsWith("/migrations.ts") && context.parentURL?.includes("/lib/sqlite/") === true;
    if (!isWanted) return next(specifier, context);
    return { url: new URL("newer-migrations.ts", import.meta.url).href, shortCircuit: true };
  },
});
