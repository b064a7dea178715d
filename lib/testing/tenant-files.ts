import { constants } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { getSystemErrorMessage } from "node:util";
import { makeApiKey } from "../auth/api-key.ts";
import type { Clock } from "../auth/rate-limiter.ts";
import { scopes } from "../model/integration.ts";
import type { Storage } from "../storage/storage.ts";
import { type LoadedTenant, loadTenantFile, parseTenantFile, TenantFileError } from "../tenant-file/index.ts";
import { readBundledFixture } from "./bundled-fixtures.ts";
import type { DeterministicIds } from "./deterministic-ids.ts";

/** The content of a tenant file, and its name for error messages. */
export type NamedTenantFile = { readonly name: string; readonly content: unknown };

/** Maximum size of a tenant file in bytes. JavaScript can't hold a longer string. */
const maxFileBytes = constants.MAX_STRING_LENGTH;

/** Names for several bundled files. */
const sets: Readonly<Record<string, readonly string[]>> = { "two-tenants": ["minimal", "second"] };

/** Reads the tenant files that a name such as "demo" or a path refers to. @throws TenantFileError */
export function readTenantFiles(name: string): readonly NamedTenantFile[] {
  const names = Object.hasOwn(sets, name) ? (sets[name] ?? []) : [name];
  return names.map((each) => ({ name: each, content: readTenantFile(each) }));
}

/**
 * Loads tenant files one after the other.
 * @throws TenantFileError with a message that starts with the name of the file
 */
export async function loadTenantFiles(
  storage: Storage,
  files: readonly NamedTenantFile[],
  tools: { readonly clock: Pick<Clock, "now">; readonly newId: () => string },
): Promise<readonly LoadedTenant[]> {
  const loaded: LoadedTenant[] = [];
  for (const { name, content } of files) {
    const tenant = await loadTenantFile(storage, content, tools).catch((error: unknown) => {
      if (!(error instanceof TenantFileError)) throw error;
      throw new TenantFileError(`${name}: ${error.message}`, error.issues);
    });
    loaded.push(tenant);
  }
  return loaded;
}

/** Adds an integration with all scopes and an API key to a file without integrations, because tests need an API key. */
export function ensureApiKey(
  { name, content }: NamedTenantFile,
  { random }: Pick<DeterministicIds, "random">,
): NamedTenantFile {
  if (typeof content !== "object" || content === null || Array.isArray(content)) return { name, content };
  const { integrations = [] } = content as { readonly integrations?: unknown };
  if (!Array.isArray(integrations) || integrations.length > 0) return { name, content };
  const integration = { name: "Tests", scopes, keys: [{ key: makeApiKey("test", random) }] };
  return { name, content: { ...content, integrations: [integration] } };
}

/** Parses a tenant file. @throws TenantFileError with a message that starts with the name */
export function parseNamedTenantFile(name: string, bytes: Uint8Array): NamedTenantFile {
  if (bytes.length > maxFileBytes) throw tooLarge(name);
  return { name, content: parse(name, bytes) };
}

function readTenantFile(name: string): unknown {
  return parse(name, readBundledFixture(name) ?? readFile(name));
}

function parse(name: string, bytes: Uint8Array): unknown {
  try {
    return parseTenantFile(bytes);
  } catch (error) {
    throw error instanceof TenantFileError ? new TenantFileError(`${name}: ${error.message}`) : error;
  }
}

function readFile(path: string): Uint8Array {
  try {
    if (statSync(path).size <= maxFileBytes) return readFileSync(path);
    throw tooLarge(path);
  } catch (error) {
    if (error instanceof TenantFileError) throw error;
    const { errno, message } = error as NodeJS.ErrnoException;
    const reason = errno === undefined ? message : getSystemErrorMessage(errno);
    throw new TenantFileError(`The tenant file ${path} can't be read: ${reason}.`);
  }
}

function tooLarge(name: string): TenantFileError {
  const hint = "To move a larger tenant, use backup and restore.";
  return new TenantFileError(`${name} is larger than ${maxFileBytes} bytes, the maximum for a tenant file. ${hint}`);
}
