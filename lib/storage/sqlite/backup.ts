import { copyTo } from "./copy.ts";
import { openReadonly } from "./open-readonly.ts";

/**
 * Copies a database that may be in use. The copy is consistent, checked and durable. A failed copy leaves nothing behind.
 * Blocks the event loop, so a server should run it in another process.
 * @throws DatabaseError if the file isn't a database of this library, the target exists or the copy is damaged
 */
export function backupDatabase({ file, target }: { readonly file: string; readonly target: string }): void {
  const database = openReadonly(file);
  try {
    copyTo(database, target);
  } finally {
    database.close();
  }
}
