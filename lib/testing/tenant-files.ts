import { constants } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { makeApiKey } from "../auth/api-key.ts";
import type { Clock } from "../auth/rate-limiter.ts";
import { scopes } from "../model/integration.ts";
import type { Storage } from "../storage/storage.ts";
import { type LoadedTenant, loadTenantFile, parseTenantFile, TenantFileError } from "../tenant-file/index.ts";
import { readBundledFixture } from "./bundled-fixtures.ts";
import type { DeterministicIds } from "./deterministic.ts";

/** A tenant file, and what to call it where it is wrong. */
export type NamedTenantFile = { readonly name: string; readonly content: unknown };

/** The longest text that there can be in one piece. */
const sizeMax = constants.MAX_STRING_LENGTH;

/** Names that stand for several of the files that come along. */
const sets: Readonly<Record<string, readonly string[]>> = { "two-tenants": ["minimal", "second"] };

/** The tenant files that a name ("demo") or path stands for. @throws TenantFileError */
export function readTenantFiles(name: string): readonly NamedTenantFile[] {
  const names = Object.hasOwn(sets, name) ? (sets[name] ?? []) : [name];
  return names.map((each) => ({ name: each, content: readTenantFile(each) }));
}

/** Loads them one after the other. @throws TenantFileError whose message begins with the name of the file */
export async function loadTenantFiles(
  storage: Storage,
  files: readonly NamedTenantFile[],
  tools: { readonly clock: Pick<Clock, "now">; readonly newId: () => string },
): Promise<readonly LoadedTenant[]> {
  const loaded: LoadedTenant[] = [];
  for (const { name, content } of files) {
    const tenant = await loadTenantFile(storage, content, tools).catch((error: unknown) => {
      if (!(error instanceof TenantFileError)) throw error;
      throw new TenantFileError(`${name}: ${error.message}`, error.findings);
    });
    loaded.push(tenant);
  }
  return loaded;
}

/** The file with an integration that may do everything, where it has none: a tenant that nobody can call is no use. */
export function ensureApiKey(
  { name, content }: NamedTenantFile,
  { random }: Pick<DeterministicIds, "random">,
): NamedTenantFile {
  if (typeof content !== "object" || content === null || Array.isArray(content)) return { name, content };
  const { integrations = [] } = content as { readonly integrations?: unknown };
  if (!Array.isArray(integrations) || integrations.length > 0) return { name, content };
  const made = { name: "Tests", scopes, keys: [{ key: makeApiKey("test", random) }] };
  return { name, content: { ...content, integrations: [made] } };
}

/** What these bytes say. @throws TenantFileError whose message begins with the name */
export function parseNamedTenantFile(name: string, bytes: Uint8Array): NamedTenantFile {
  if (bytes.length > sizeMax) throw tooLarge(name);
  return { name, content: parsed(name, bytes) };
}

function readTenantFile(name: string): unknown {
  return parsed(name, readBundledFixture(name) ?? readFile(name));
}

function parsed(name: string, bytes: Uint8Array): unknown {
  try {
    return parseTenantFile(bytes);
  } catch (error) {
    throw error instanceof TenantFileError ? new TenantFileError(`${name}: ${error.message}`) : error;
  }
}

function readFile(path: string): Uint8Array {
  try {
    if (statSync(path).size <= sizeMax) return readFileSync(path);
    throw tooLarge(path);
  } catch (error) {
    if (error instanceof TenantFileError) throw error;
    throw new TenantFileError(`The tenant file ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

function tooLarge(name: string): TenantFileError {
  const way = "A database of any size is moved by backup and restore.";
  return new TenantFileError(`${name} is larger than ${sizeMax} bytes, the most that a tenant file may have. ${way}`);
}
