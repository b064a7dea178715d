import { copyTo } from "./copy.ts";
import { openReadonly } from "./open-readonly.ts";

/**
 * Copies a database while others go on using it, as it is at this moment. The copy is a database of its own; it is
 * whole, checked and on the disk when this returns, and one that fails leaves nothing. It stops the event loop for as
 * long as it takes: a server has another process do it.
 * @throws DatabaseError where the file is no database of ours, the target is there already or the copy is faulty
 */
export function backupDatabase({ file, target }: { readonly file: string; readonly target: string }): void {
  const database = openReadonly(file);
  try {
    copyTo(database, target);
  } finally {
    database.close();
  }
}
