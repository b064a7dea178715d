import { StorageUnavailable } from "./storage.ts";

/** A newer version has migrated the database, so this version doesn't commit any more. Nothing was written. */
export class NewerSchema extends StorageUnavailable {
  readonly found: number;
  readonly known: number;

  constructor(found: number, known: number) {
    super(
      `A newer version migrated the database to schema ${found}; this version of the program supports up to ${known}. ` +
        "Replace this server with the newer version.",
    );
    this.found = found;
    this.known = known;
  }
}

/**
 * Checks the schema version that a commit finds.
 * @throws NewerSchema if it is newer than the version that this library supports
 */
export function assertSchemaKnown(found: number, known: number): void {
  if (found > known) throw new NewerSchema(found, known);
}
