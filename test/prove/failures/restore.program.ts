import { restoreDatabase } from "../../../lib/storage/sqlite/index.ts";

/** Restores a backup, the second argument, over a database, the first one. */
const [file = "", backup = ""] = process.argv.slice(2);
restoreDatabase({ file, backup });
