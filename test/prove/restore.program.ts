import { restoreDatabase } from "../../lib/storage/sqlite/index.ts";

/** Restores the backup that is named second over the database that is named first. */
const [file = "", backup = ""] = process.argv.slice(2);
restoreDatabase({ file, backup });
