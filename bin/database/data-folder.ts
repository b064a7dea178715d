import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AdminAuth } from "#lib";
import { chownLike, permissionHint } from "#lib/sqlite";
import { syncNameOf } from "../cli/private-file.ts";
import { assertPrivate } from "../cli/secret-file.ts";
import { Failure } from "../cli/usage.ts";
import { keepAddonIn } from "./addon.ts";

/** Where the program keeps its data when nothing else is said. */
export const dataDefault = "crm-data";

const secretBytes = 32;

/** The database of a data folder. The binary keeps the code of SQLite in that folder, too. */
export function databaseFile(folder: string): string {
  keepAddonIn(folder);
  return join(folder, "crm.db");
}

/** Whether something has this name. @throws Failure where this user may not know */
export function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    const told = permissionHint(file, error);
    throw told === undefined ? error : new Failure(told);
  }
}

/** The file of the secret that signs administrators' tokens for this folder. */
export function adminSecretFile(folder: string): string {
  return join(folder, "admin.secret");
}

/** That secret, made with it: 32 bytes, readable by its owner only. */
export function adminAuthOf(folder: string): AdminAuth & { readonly secret: Uint8Array } {
  const file = adminSecretFile(folder);
  if (!isThere(file)) makeSecret(file);
  assertPrivate(file);
  const secret = readFileSync(file);
  if (secret.length < secretBytes)
    throw new Failure(`${file} is damaged: ${secret.length} of ${secretBytes} bytes. Restore or remove it.`);
  return { issuer: "crm-integrations", audience: "crm-integrations-admin", secret };
}

/** Written whole under another name and linked into place: two programs that start at once end with one secret. */
function makeSecret(file: string): void {
  const draft = `${file}.new-${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, randomBytes(secretBytes), { mode: 0o600, flag: "wx", flush: true });
  try {
    chownLike(draft, dirname(file));
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  // A token must not be signed with a secret whose name a power loss can still take away.
  syncNameOf(file);
}
