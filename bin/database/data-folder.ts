import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AdminAuth } from "#lib";
import { copyOwner, permissionHint } from "#lib/sqlite";
import { Failure } from "../cli/errors.ts";
import { assertPrivate, syncFolderOf } from "../cli/private-file.ts";

/** The data folder if `--data` is missing. */
export const defaultData = "crm-data";

const secretBytes = 32;

let openedFolder: string | undefined;

/** Returns the data folder that was used last. The binary stores the SQLite addon in it. */
export function lastDataFolder(): string | undefined {
  return openedFolder;
}

/** Returns the path of the database file in a data folder. */
export function databaseFile(folder: string): string {
  openedFolder = folder;
  return join(folder, "crm.db");
}

/** Returns the path of the request log in a data folder. It isn't part of backups. */
export function requestLogFile(folder: string): string {
  return join(folder, "requests.db");
}

/** Returns whether a path exists. @throws Failure if permissions prevent the check */
export function pathExists(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    const hint = permissionHint(file, error);
    throw hint === undefined ? error : new Failure(hint);
  }
}

/** Returns the path of the secret that signs admin tokens of a data folder. */
export function adminSecretFile(folder: string): string {
  return join(folder, "admin.secret");
}

/**
 * Reads the secret of a data folder, and creates it (32 bytes, mode 0600) if it is missing.
 * @throws Failure if it is damaged
 */
export function folderAdminAuth(folder: string): AdminAuth & { readonly secret: Uint8Array } {
  const file = adminSecretFile(folder);
  if (!pathExists(file)) createSecret(file);
  assertPrivate(file);
  const secret = readFileSync(file);
  if (secret.length < secretBytes)
    throw new Failure(
      `${file} is damaged: it has ${secret.length} of ${secretBytes} bytes. Restore it, or remove it to create a new one.`,
    );
  return { issuer: "crm-integrations", audience: "crm-integrations-admin", secret };
}

/**
 * Creates the file under a temporary name and links it, so that two programs that start at once use the same secret.
 */
function createSecret(file: string): void {
  const draft = `${file}.new-${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, randomBytes(secretBytes), { mode: 0o600, flag: "wx", flush: true });
  try {
    copyOwner(draft, dirname(file));
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  // A secret that a power loss removes would invalidate the tokens.
  syncFolderOf(file);
}
